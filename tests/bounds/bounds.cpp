// SPDX-License-Identifier: Apache-2.0
// Asks the library what measure.py makes up, and tells what each answer cost.
//
//     bounds               answers each request as it is read
//     bounds instructions  reads all of them first, then has callgrind count their instructions
//
// A request is a line `DOOR VERB STORED ASKED`, of which the last two are lengths, and so many
// bytes each. Doors are `evaluate`, `review`, `compile`, `watch`, `extend` and `patch`; what is
// stored is what the door needs besides: policies, a cluster, the document of a patch. Where it is
// as long as
// `-` it is that of the request before. An answer is a line: CPU seconds, allocations, the most
// bytes in use, the bytes of the answer, and `refused` or `taken`.
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/extend.hpp>
#include <schedpol/json/raw_message.hpp>
#include <schedpol/json/review.hpp>

#include "../support/count_allocations.hpp"
#include "../support/count_instructions.hpp"

#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace json = schedpol::json;
using schedpol::engine::Configuration;
using schedpol::engine::Engine;
using schedpol::resource_policy::AssumeCache;

void demand(bool holds, std::string_view what, std::string_view shown = {}) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n' << shown.substr(0, 1000) << '\n';
  std::exit(1);
}

struct Request {
  std::string door{};
  std::string verb{};
  std::string asked{};
};

/// What requests are answered with.
struct Stored {
  std::string bytes{};
  Engine engine{};
  AssumeCache cluster{};
  bool is_usable = true;
};

std::string refusal(const std::vector<schedpol::FieldError>& errors) {
  return R"({"error":)" + (errors.empty() ? "" : message(errors[0]));
}

/// That it cannot be used, which a denial is not.
bool is_refused(std::string_view answer) {
  for (const std::string_view word :
       {R"("error":)", R"("code":400)", R"("code":413)", R"("code":422)"})
    if (answer.find(word) != std::string_view::npos) return true;
  return false;
}

std::string compiled(std::string_view objects, Engine& engine) {
  Configuration configuration;
  auto errors = json::add_objects(configuration, objects);
  if (!errors.empty()) return refusal(errors);
  auto compiled = compile(configuration);
  if (!compiled) return refusal(compiled.errors());
  engine = *std::move(compiled);
  return "{}";
}

template <class T>
std::vector<T> read_all(const json::RawObject& members, std::string_view name) {
  std::vector<T> all;
  const auto found = members.find(name);
  if (found == members.end()) return all;
  const auto list = json::decode<std::vector<json::RawMessage>>(found->second.json);
  demand(bool(list), "what is watched is a list", name);
  for (const json::RawMessage& item : *list)
    if (auto read = json::decode<T>(item.json)) all.push_back(*std::move(read));
  return all;
}

/// `{"policies":[...],"nodes":[...],"pods":[...]}`, and the pod that is asked for.
std::string watched(std::string_view bytes, AssumeCache& cluster) {
  const auto members = json::decode<json::RawObject>(bytes);
  if (!members) return refusal(members.errors());
  for (const auto& node : read_all<schedpol::Node>(*members, "nodes")) cluster.observe_node(node);
  for (const auto& pod : read_all<schedpol::Pod>(*members, "pods")) cluster.observe_pod(pod);
  cluster.observe_pod({.metadata = {.name = "p", .namespace_ = "n"}});
  const auto errors = cluster.set_policies(
      read_all<schedpol::resource_policy::ResourcePolicy>(*members, "policies"));
  return errors.empty() ? "{}" : refusal(errors);
}

std::shared_ptr<const Stored> store(const Request& request, std::string bytes) {
  auto stored = std::make_shared<Stored>();
  if (request.door == "review") stored->is_usable = !is_refused(compiled(bytes, stored->engine));
  if (request.door == "extend") stored->is_usable = !is_refused(watched(bytes, stored->cluster));
  stored->bytes = std::move(bytes);
  return stored;
}

std::string answer(const Request& request, const Stored& stored) {
  if (request.door == "evaluate") return json::evaluate(request.asked);
  if (request.door == "review")
    return json::review(request.asked, stored.engine, schedpol::engine::Phase::mutating,
                        schedpol::engine::InsightAdviser());
  if (request.door == "extend") {
    const json::ExtenderResponse said =
        json::answer_extender(request.verb, request.asked, stored.cluster);
    return said.errors.empty() ? said.response : R"({"error":)" + said.response;
  }
  if (request.door == "compile") {
    Engine engine;
    return compiled(request.asked, engine);
  }
  if (request.door == "watch") {
    AssumeCache cluster;
    return watched(request.asked, cluster);
  }
  demand(request.door == "patch", "there is such a door", request.door);
  auto applied = json::apply_patch(stored.bytes, std::string_view(request.asked));
  return applied ? *std::move(applied) : refusal(applied.errors());
}

std::string bytes_of(std::size_t length) {
  std::string bytes(length, ' ');
  std::cin.read(bytes.data(), static_cast<std::streamsize>(length));
  demand(bool(std::cin), "a request has its bytes");
  return bytes;
}

bool read(Request& request, std::shared_ptr<const Stored>& stored) {
  std::string stored_length;
  std::size_t asked_length = 0;
  if (!(std::cin >> request.door >> request.verb >> stored_length >> asked_length)) return false;
  std::cin.get();
  if (stored_length != "-")
    stored = store(request, bytes_of(std::strtoul(stored_length.c_str(), nullptr, 10)));
  request.asked = bytes_of(asked_length);
  return true;
}

void tell(const Request& request, const Stored& stored) {
  const schedpol::testing::CountAllocations counted;
  const std::clock_t before = std::clock();
  const std::string said = answer(request, stored);
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::cout << seconds << ' ' << counted.count() << ' ' << counted.peak_bytes() << ' '
            << said.size() << ' ' << (is_refused(said) || !stored.is_usable ? "refused" : "taken")
            << std::endl;
}

}  // namespace

int main(int argc, char**) {
  std::ios::sync_with_stdio(false);
  Request request;
  std::shared_ptr<const Stored> stored;
  std::vector<std::pair<Request, std::shared_ptr<const Stored>>> all;
  while (read(request, stored)) {
    if (argc > 1) {
      all.emplace_back(request, stored);
    } else {
      tell(request, *stored);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    schedpol::testing::count_instructions(std::to_string(i),
                                          [&, i] { return answer(all[i].first, *all[i].second); });
}
