// SPDX-License-Identifier: Apache-2.0
// What the programs of examples/ share and no program shows well: metrics as Prometheus reads them,
// logs that stay one line whatever is in them, what an API server sends that it should not, in
// which order workers work, and whom slow answers and those that are not known yet keep waiting.
// Prints what is wrong.

#include "support/api_client.hpp"
#include "support/api_object.hpp"
#include "support/conditions.hpp"
#include "support/log.hpp"
#include "support/metrics.hpp"
#include "support/server.hpp"
#include "support/workers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool good, std::string_view what, std::string_view got) {
  if (good) return;
  ++failures;
  std::printf("%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
              static_cast<int>(got.size()), got.data());
}

void metrics_are_read_by_prometheus() {
  support::Metrics metrics;
  auto& denials = metrics.counters("b_denials_total", "Denials\nof \\ pods.", {"policy"}, 2);
  denials.with({"gpu"}).add();
  denials.with({"a \"b\"\\\n"}).add(2);
  // What comes after the bound is one series, and those that are there go on.
  for (int i = 0; i < 10; ++i) denials.with({"p" + std::to_string(i)}).add();
  denials.with({"gpu"}).add();
  metrics.gauges("c_age_seconds", "Age.").only().set(0.5);
  auto& times = metrics.histograms("a_seconds", "Times.", {}, {0.1, 1}).only();
  for (const double time : {0.1, 0.2, 5.0}) times.observe(time);
  auto& looked_up = metrics.gauges("d", "Looked up.", {"of"});
  metrics.before_reading([&looked_up] {
    looked_up.clear();
    looked_up.with({"x"}).set(3);
  });
  looked_up.with({"gone"}).set(1);
  check(&metrics.counters("b_denials_total", "again") == &denials, "a family of one name", "two");
  const std::string text = metrics.text();
  check(text ==
            "# HELP a_seconds Times.\n# TYPE a_seconds histogram\n"
            "a_seconds_bucket{le=\"0.1\"} 1\na_seconds_bucket{le=\"1\"} 2\n"
            "a_seconds_bucket{le=\"+Inf\"} 3\na_seconds_sum 5.3\na_seconds_count 3\n"
            "# HELP b_denials_total Denials\\nof \\\\ pods.\n# TYPE b_denials_total counter\n"
            "b_denials_total{policy=\"a \\\"b\\\"\\\\\\n\"} 2\nb_denials_total{policy=\"gpu\"} 2\n"
            "b_denials_total{policy=\"other\"} 10\n"
            "# HELP c_age_seconds Age.\n# TYPE c_age_seconds gauge\nc_age_seconds 0.5\n"
            "# HELP d Looked up.\n# TYPE d gauge\nd{of=\"x\"} 3\n",
        "metrics", text);
}

/// What is logged, without its time.
template <class Log>
std::string logged(Log&& log) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  log();
  dup2(before, STDERR_FILENO);
  close(before);
  close(ends[1]);
  std::string text(65536, '\0');
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  constexpr std::size_t time = std::string_view("time=2026-01-31T12:00:00.000Z ").size();
  return text.size() < time ? text : text.substr(time);
}

void logs_stay_one_line() {
  const std::string line = logged([] {
    support::log_warning("a policy",
                         {{"name", "a-b/c.d"}, {"empty", ""}, {"why", "\"x\"\n\x1b[0m \\"}});
  });
  check(line ==
            "level=warning msg=\"a policy\" name=a-b/c.d empty=\"\" why=\"\\\"x\\\"\\n\\x1b[0m "
            "\\\\\"\n",
        "a log", line);
  const std::string odd = logged([] {
    support::log_warning("", {{"name", "a\u009b\u2028\u202e\u2066z"}, {"bytes", "\x9b\xff"}});
  });
  check(odd ==
            "level=warning msg=\"\" "
            "name=\"a\\xc2\\x9b\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xe2\\x81\\xa6z\" "
            "bytes=\"\\x9b\\xff\"\n",
        "a log of what is not printable", odd);
  const std::string longest = logged([] { support::log_error(std::string(100'000, 'x')); });
  check(longest == "level=error msg=\"" + std::string(2048, 'x') + "...\"\n", "a long log",
        longest);
}

void a_url_names_a_server() {
  struct Case {
    std::string_view url;
    std::string_view wanted;  ///< host, port and base path; empty: it names none
  };
  for (const auto& [url, wanted] :
       {Case{"https://10.0.0.1", "10.0.0.1 443 "},
        Case{"https://api.example.com:6443/", "api.example.com 6443 "},
        Case{"https://[::1]:6443/k8s/one/", "::1 6443 /k8s/one"}, Case{"https://[::1]", "::1 443 "},
        Case{"http://10.0.0.1", ""}, Case{"https://", ""}, Case{"https://:443", ""},
        Case{"https://a:x", ""}, Case{"https://a:65536", ""}, Case{"https://a:", ""},
        Case{"https://[::1", ""}, Case{"https://a b", ""}, Case{"https://me@a", ""},
        Case{"https://a/?b", ""}, Case{"https://a\r\nX: y", ""}, Case{"", ""}}) {
    const auto server = support::api_server_at(url, "token", "ca");
    const std::string got =
        server ? server->host + ' ' + server->port + ' ' + server->base_path : std::string();
    check(got == wanted, url, got);
  }
}

void a_page_is_cut_into_objects() {
  constexpr std::string_view head = R"({"kind":"RoleList","apiVersion":"g/v1","metadata":)";
  const auto page = [&](std::string_view rest) {
    return support::read_page(std::string(head).append(rest));
  };
  const auto good = page(
      R"({"resourceVersion":"7","continue":"c"},"items":[{"metadata":{"namespace":"n","name":"a","resourceVersion":"3"}} , )"
      R"({"kind":"Role","apiVersion":"g/v2","metadata":{"name":"b"},"x":"\u007d]}"}]})");
  check(good && good->resource_version == "7" && good->continue_token == "c" &&
            good->objects.size() == 2,
        "a page", "");
  if (good && good->objects.size() == 2) {
    const support::ApiObject& first = good->objects[0];
    check(first.key == support::ObjectKey{"n", "a"} && first.resource_version == "3", "an item",
          first.key.name);
    check(first.json.starts_with(R"({"kind":"Role","apiVersion":"g/v1","metadata":{)"),
          "an item of its list's kind", first.json);
    const support::ApiObject& second = good->objects[1];
    check(second.json == R"({"kind":"Role","apiVersion":"g/v2","metadata":{"name":"b"},"x":"}]}"})",
          "an item of its own kind", second.json);
  }
  const auto empty = page(R"({"resourceVersion":"7"},"items":null})");
  check(empty && empty->objects.empty(), "a page of nothing", "");
  for (const std::string_view bad :
       {R"({},"items":[{"metadata":{}}]})", R"({},"items":[{}]})", R"({},"items":[7]})",
        R"({},"items":{}})", R"({}})", R"({},"items":[{"metadata":{"name":7}}]})",
        R"(7,"items":[]})", R"({},"items":[)", R"({},"items":[{"metadata":{"name":"a")", ""})
    check(!page(bad), "no page", bad);
  for (const std::string_view bad :
       {R"({"kind":"Role","items":[]})", R"({"kind":"a\"bList","items":[]})", R"({"items":[]})",
        "[]", "7", ""})
    check(!support::read_page(bad), "no list", bad);
}

void a_line_is_an_event() {
  using Type = support::WatchEvent::Type;
  const auto added = support::read_event(
      R"({"type":"ADDED","object":{"kind":"Role","apiVersion":"g/v1","metadata":{"name":"a","resourceVersion":"3"}}})");
  check(
      added && added->type == Type::added && added->object.key.name == "a" &&
          added->object.resource_version == "3" &&
          added->object.json ==
              R"({"kind":"Role","apiVersion":"g/v1","metadata":{"name":"a","resourceVersion":"3"}})",
      "an event", added ? added->object.json : "");
  const auto bookmark =
      support::read_event(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})");
  check(bookmark && bookmark->type == Type::bookmark && bookmark->object.resource_version == "9",
        "a bookmark", "");
  const auto error = support::read_event(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}})");
  check(error && error->type == Type::error && error->status.code == 410 &&
            error->status.message == "too old",
        "an error", "");
  for (const std::string_view bad :
       {R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"3"}}})",
        R"({"type":"ADDED","object":7})", R"({"type":"ADDED"})", R"({"object":{}})",
        R"({"type":"BOOKMARK","object":{}})",
        R"({"type":"MOVED","object":{"metadata":{"name":"a","resourceVersion":"3"}}})",
        R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"3")",
        R"({"type":7,"object":{}})", "{}", "7", ""})
    check(!support::read_event(bad), "no event", bad);
}

void a_condition_is_read() {
  const support::ConditionState state = support::read_conditions(
      R"({"metadata":{"generation":4},"status":{"conditions":[{"type":"Ready","status":"True"},)"
      R"({"type":"Accepted","status":"False","reason":"Invalid","message":"m","observedGeneration":3,"lastTransitionTime":"t"}]}})");
  check(state.generation == 4 && state.accepted && !state.accepted->is_true &&
            state.accepted->reason == "Invalid" && state.accepted->message == "m" &&
            state.accepted->observed_generation == 3 && state.accepted->last_transition_time == "t",
        "a condition", "");
  for (const std::string_view none :
       {R"({"status":{"conditions":[7,{"type":7}]}})", R"({"status":{"conditions":7}})",
        R"({"status":7})", "{}", "7", ""})
    check(!support::read_conditions(none).accepted, "no condition", none);
}

constexpr std::chrono::steady_clock::time_point no_deadline =
    std::chrono::steady_clock::time_point::max();

/// Work that begins, and ends when it is told to.
struct Gate {
  std::promise<void> begun{};
  std::promise<void> opened{};

  support::Work work(std::size_t bytes) {
    return {no_deadline, bytes, [this] {
              begun.set_value();
              opened.get_future().wait();
            }};
  }
};

void workers_keep_their_order() {
  std::string done;
  std::mutex mutex;
  const auto noting = [&](char name, std::size_t bytes = 1,
                          std::chrono::steady_clock::time_point deadline = no_deadline) {
    return support::Work{deadline, bytes, [&, name] {
                           const std::lock_guard lock(mutex);
                           done += name;
                         }};
  };
  {
    support::Workers workers(1, 100);
    Gate gate;
    workers.post(gate.work(1));
    gate.begun.get_future().wait();
    workers.post(noting('a'));
    check(workers.post_in_background(noting('x'), 2) && workers.post_in_background(noting('y'), 2),
          "what can wait", "is refused");
    check(!workers.post_in_background(noting('z'), 2), "more than may wait", "is taken");
    workers.post({no_deadline, 1, [] { throw std::runtime_error("no memory"); }});
    workers.post(noting('b'));
    workers.post(noting('-', 1, std::chrono::steady_clock::now()));
    workers.post(noting('c'));
    gate.opened.set_value();
    workers.join();
  }
  // The last of the requests and the first of what can wait may be worked on at the same time.
  check(done.starts_with("ab") && done.find('y') > done.find('x') && done.size() == 5,
        "requests, then what can wait, but for what is refused or too late", done);

  // Of five threads with 100 bytes together two have room for 50.
  done.clear();
  support::Workers workers(5, 100);
  Gate large;
  workers.post(large.work(60));
  large.begun.get_future().wait();
  workers.post(noting('l', 50));
  workers.post(noting('m', 10));
  check(workers.post_in_background(noting('n', 10), 9), "what can wait", "is refused");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  {
    const std::lock_guard lock(mutex);
    check(done.empty(), "what there is no room for, and what comes after it", done);
  }
  large.opened.set_value();
  // Alone there is room for anything.
  workers.post(noting('o', 1000));
  workers.join();
  check(done.size() == 4, "work that there was room for at last", done);
}

/// What a server answers to one request without a body, or with `{}`.
std::string answer_of(std::uint16_t port, const std::string& method, const std::string& path) {
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
  if (method == "POST") text += "Content-Type: application/json\r\nContent-Length: 2\r\n";
  text += method == "POST" ? "\r\n{}" : "\r\n";
  asio::write(socket, asio::buffer(text));
  std::string answer;
  boost::system::error_code end;
  asio::read(socket, asio::dynamic_buffer(answer), end);
  return answer;
}

support::ServerOptions any_port() {
  support::ServerOptions options;
  options.host = "127.0.0.1";
  options.port = 0;
  options.worker_threads = 2;
  return options;
}

support::Response text(std::string body) {
  return {.body = std::move(body)};
}

/// Nobody but who asked waits for an answer that takes long.
void slow_answers_keep_nobody_waiting() {
  support::Metrics metrics;
  support::ServerOptions options = any_port();
  options.answer_within = std::chrono::milliseconds(300);
  std::promise<void> opened;
  const auto open = opened.get_future().share();
  support::Server server(
      options,
      {{support::Method::post,
        "/slow",
        [open](const support::Request&) {
          open.wait();
          return text("slow");
        },
        {},
        [](const support::Request&) { return text("no time"); }},
       {support::Method::get, "/healthz", [](const support::Request&) { return text("ok"); }}},
      metrics);
  check(server.start().empty(), "a server", "does not start");
  std::vector<std::future<std::string>> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(std::async(std::launch::async,
                              [&server] { return answer_of(server.port(), "POST", "/slow"); }));
  }
  for (std::future<std::string>& one : slow) {
    const std::string answer = one.get();
    check(answer.ends_with("no time"), "a slow answer at its deadline", answer);
  }
  const std::string healthy = answer_of(server.port(), "GET", "/healthz");
  check(healthy.ends_with("ok"), "a probe while all workers work", healthy);
  opened.set_value();
}

/// An answer that may be another one soon is asked for again when it may, and only then.
void what_is_not_known_is_waited_for() {
  std::atomic<int> known = 0;
  std::atomic<int> asked = 0;
  std::atomic<int> sent = 0;
  const auto answer = [&](const support::Request&) {
    ++asked;
    const int now = known;
    support::Response made = text(std::to_string(now));
    if (now == 2) return made;
    made.may_differ = [&known, now] { return known != now; };
    made.when_sent = [&sent] { ++sent; };
    return made;
  };
  support::Metrics metrics;
  support::ServerOptions options = any_port();
  options.wait_for_change = std::chrono::seconds(3'000);
  options.answer_within = std::chrono::seconds(3'000);
  const std::vector<support::Route> routes = {
      {support::Method::post, "/ask", answer},
      {support::Method::get, "/metrics",
       [&metrics](const support::Request&) { return text(metrics.text()); }}};
  {
    support::Server server(options, routes, metrics);
    check(server.start().empty(), "a server", "does not start");
    auto waits = std::async(std::launch::async,
                            [&server] { return answer_of(server.port(), "POST", "/ask"); });
    const auto wait_for = [](const auto& is_so) {
      while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    wait_for([&] { return asked == 1; });
    known = 1;
    wait_for([&] { return asked == 2; });
    check(sent == 0, "an answer that is asked for again", "is sent");
    known = 2;
    check(waits.get().ends_with("2"), "an answer", "is not the last one");
    check(asked == 3 && sent == 0, "what was asked for", std::to_string(asked));
  }
  // Without a place to wait, and when the time is over, it is answered as it is.
  known = 0;
  for (const bool has_place : {false, true}) {
    options.max_waiting_for_change = has_place ? 1 : 0;
    options.wait_for_change = std::chrono::milliseconds(has_place ? 30 : 3'000'000);
    support::Metrics own;
    support::Server server(options, {routes[0]}, own);
    check(server.start().empty(), "a server", "does not start");
    asked = sent = 0;
    const std::string as_it_is = answer_of(server.port(), "POST", "/ask");
    check(as_it_is.ends_with("0"), "an answer that does not change", as_it_is);
    check(asked == 1 && sent == 1, "what is sent once", std::to_string(sent));
  }
}

}  // namespace

int main() {
  workers_keep_their_order();
  slow_answers_keep_nobody_waiting();
  what_is_not_known_is_waited_for();
  metrics_are_read_by_prometheus();
  logs_stay_one_line();
  a_url_names_a_server();
  a_page_is_cut_into_objects();
  a_line_is_an_event();
  a_condition_is_read();
  return failures == 0 ? 0 : 1;
}
