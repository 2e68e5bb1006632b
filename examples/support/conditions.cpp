// SPDX-License-Identifier: Apache-2.0
#include "conditions.hpp"

#include "backoff.hpp"
#include "json_members.hpp"
#include "log.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace support {
namespace {

constexpr std::size_t max_message_bytes = 1024;
constexpr std::chrono::milliseconds longest_pause(60'000);
/// Some 25 ms each, most of which is spent by the API server.
constexpr std::size_t writers = 8;

bool says_the_same(const Condition& a, const Condition& b) {
  return std::tie(a.is_true, a.reason, a.message, a.observed_generation) ==
         std::tie(b.is_true, b.reason, b.message, b.observed_generation);
}

std::string now() {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// At most so many bytes, and no half of a character.
void shorten(std::string& text) {
  if (text.size() <= max_message_bytes) return;
  std::size_t end = max_message_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
}

std::string field(std::string_view key, const std::string& value) {
  return '"' + std::string(key) + "\":" + schedpol::json::encode(value);
}

/// What is applied to the status.
std::string apply_body(const ConditionSubject& subject, const Condition& condition) {
  const Collection& of = subject.collection;
  const std::string metadata =
      field("name", subject.key.name) +
      (subject.key.namespace_.empty() ? "" : ',' + field("namespace", subject.key.namespace_));
  return '{' + field("apiVersion", of.group + '/' + of.version) + ',' + field("kind", of.kind) +
         ",\"metadata\":{" + metadata + "},\"status\":{\"conditions\":[{" +
         field("type", std::string(accepted_condition)) + ',' +
         field("status", condition.is_true ? "True" : "False") + ',' +
         field("reason", condition.reason) + ',' + field("message", condition.message) +
         ",\"observedGeneration\":" + std::to_string(condition.observed_generation) + ',' +
         field("lastTransitionTime", condition.last_transition_time) + "}]}}";
}

/// Whether another try may come to something else.
bool may_pass(const CallError& error) {
  if (error.reason != CallError::Reason::refused) return true;
  return error.status == 401 || error.status == 403 || error.status == 429 || error.status >= 500;
}

}  // namespace

ConditionState read_conditions(std::string_view json) {
  using schedpol::json::RawMessage;
  using schedpol::json::RawObject;
  ConditionState state;
  const RawObject object = read_object(json);
  read_member(member<RawObject>(object, "metadata"), "generation", state.generation);
  for (const RawMessage& item :
       member<std::vector<RawMessage>>(member<RawObject>(object, "status"), "conditions")) {
    const RawObject condition = read_object(item.json);
    const auto text = [&](std::string_view name) { return member<std::string>(condition, name); };
    if (text("type") != accepted_condition) continue;
    Condition& read = state.accepted.emplace();
    read.is_true = text("status") == "True";
    read.reason = text("reason");
    read.message = text("message");
    read.last_transition_time = text("lastTransitionTime");
    read_member(condition, "observedGeneration", read.observed_generation);
  }
  return state;
}

struct ConditionWriter::Impl {
  struct Work {
    ConditionSubject subject;
    Condition condition;
  };

  Impl(ApiClient& api_client, std::string field_manager)
      : client(api_client), manager(std::move(field_manager)) {}

  ApiClient& client;
  const std::string manager;
  std::mutex mutex{};
  std::condition_variable_any wake{};
  std::map<std::string, Work> waiting{};       ///< by path
  std::map<std::string, Condition> written{};  ///< by path, as far as anybody knows
  std::set<std::string> in_writing{};          ///< paths
  std::vector<std::jthread> threads{};

  /// One that waits and is not being written; under the mutex.
  auto next() {
    return std::find_if(waiting.begin(), waiting.end(),
                        [this](const auto& entry) { return !in_writing.contains(entry.first); });
  }

  void run(const std::stop_token& stop) {
    Backoff backoff(longest_pause);
    while (!stop.stop_requested()) {
      std::string path;
      Work work;
      {
        std::unique_lock lock(mutex);
        if (!wake.wait(lock, stop, [&] { return next() != waiting.end(); })) return;
        auto node = waiting.extract(next());
        path = node.key();
        work = std::move(node.mapped());
        in_writing.insert(path);
        written.insert_or_assign(path, work.condition);
      }
      const std::string target =
          path + "/status?fieldManager=" + percent_encoded(manager) + "&force=true";
      const Answer answer =
          client.patch(target, PatchType::apply, apply_body(work.subject, work.condition), stop);
      if (stop.stop_requested()) return;
      const bool is_tried_again = answer.error && may_pass(*answer.error);
      if (answer.error)
        log_warning("a condition was not written", {{"problem", answer.error->text}});
      if (is_tried_again) {
        const std::chrono::milliseconds retry_after = answer.error->retry_after;
        backoff.wait(stop, std::min(retry_after, longest_pause));
      } else {
        backoff.reset();
      }
      {
        const std::lock_guard lock(mutex);
        in_writing.erase(path);
        // Unless something else is to be said by now.
        const auto tried = written.find(path);
        if (is_tried_again && tried != written.end() &&
            says_the_same(tried->second, work.condition))
          waiting.try_emplace(path, std::move(work));
      }
      wake.notify_all();
    }
  }
};

ConditionWriter::ConditionWriter(ApiClient& client, std::string manager)
    : impl_(std::make_unique<Impl>(client, std::move(manager))) {
  for (std::size_t i = 0; i < writers; ++i)
    impl_->threads.emplace_back([this](const std::stop_token& stop) { impl_->run(stop); });
}

ConditionWriter::~ConditionWriter() = default;

void ConditionWriter::say(const ConditionSubject& subject, const ConditionState& state,
                          Condition verdict) {
  shorten(verdict.message);
  verdict.observed_generation = state.generation;
  const bool turned = !state.accepted || state.accepted->is_true != verdict.is_true ||
                      state.accepted->last_transition_time.empty();
  verdict.last_transition_time = turned ? now() : state.accepted->last_transition_time;
  const std::string path = path_of(subject.collection, subject.key);
  {
    const std::lock_guard lock(impl_->mutex);
    if (state.accepted && says_the_same(*state.accepted, verdict)) {
      impl_->waiting.erase(path);
      return;
    }
    const auto before = impl_->written.find(path);
    if (before != impl_->written.end() && says_the_same(before->second, verdict)) return;
    impl_->waiting.insert_or_assign(path, Impl::Work{subject, std::move(verdict)});
  }
  impl_->wake.notify_all();
}

void ConditionWriter::forget(const ConditionSubject& subject) {
  const std::string path = path_of(subject.collection, subject.key);
  const std::lock_guard lock(impl_->mutex);
  impl_->waiting.erase(path);
  impl_->written.erase(path);
}

}  // namespace support
