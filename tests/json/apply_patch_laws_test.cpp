// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/apply_patch.hpp>

#include <schedpol/core/limits.hpp>
#include "../support/json.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace apply_patch_laws_test {

using schedpol::json::apply_patch;
using schedpol::json::Patch;
using schedpol::json::PatchOp;
using schedpol::testing::operator""_path;

// A JSON value that is patched by the letter of the RFC and nothing else.
struct Model {
  enum class Kind { object, list, scalar } kind = Kind::scalar;
  std::string text = "null";  ///< of a scalar
  std::vector<std::pair<std::string, Model>> items{};

  [[nodiscard]] std::string print() const {
    if (kind == Kind::scalar) return text;
    std::string printed;
    for (const auto& [key, value] : items) {
      if (!printed.empty()) printed += ',';
      if (kind == Kind::object) printed += '"' + key + "\":";
      printed += value.print();
    }
    return kind == Kind::object ? "{" + printed + "}" : "[" + printed + "]";
  }

  // Where an item stands that a name names; the size for none.
  [[nodiscard]] std::size_t place(const std::string& name) const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (kind == Kind::object ? items[i].first == name : std::to_string(i) == name) return i;
    }
    return items.size();
  }

  Model* find(const std::vector<std::string>& names, std::size_t count) {
    Model* found = this;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = found->place(names[i]);
      if (place == found->items.size()) return nullptr;
      found = &found->items[place].second;
    }
    return found;
  }

  bool add(const std::vector<std::string>& names, const Model& value) {
    if (names.empty()) {
      *this = Model(value);
      return true;
    }
    Model* const parent = find(names, names.size() - 1);
    if (parent == nullptr || parent->kind == Kind::scalar) return false;
    const std::string& name = names.back();
    const std::size_t place = parent->place(name);
    if (parent->kind == Kind::object) {
      if (place == parent->items.size()) parent->items.emplace_back(name, Model());
      parent->items[place].second = value;
      return true;
    }
    const bool at_end = name == "-" || name == std::to_string(parent->items.size());
    if (place == parent->items.size() && !at_end) return false;
    parent->items.emplace(parent->items.begin() + static_cast<std::ptrdiff_t>(place), "", value);
    return true;
  }

  bool remove(const std::vector<std::string>& names) {
    if (names.empty() || find(names, names.size()) == nullptr) return false;
    Model* const parent = find(names, names.size() - 1);
    parent->items.erase(parent->items.begin() +
                        static_cast<std::ptrdiff_t>(parent->place(names.back())));
    return true;
  }
};

class PatchGenerator : public schedpol::testing::Random {
 public:
  using Random::Random;

  Model value(std::size_t levels) {
    Model made;
    const std::size_t kind = below(levels > 0 ? 4 : 1);
    if (kind == 0) {
      made.text = std::to_string(below(10));
      return made;
    }
    made.kind = kind == 1 ? Model::Kind::list : Model::Kind::object;
    for (std::size_t i = below(4); i > 0; --i) {
      const std::string name(1, static_cast<char>('a' + below(5)));
      if (made.kind == Model::Kind::list || made.place(name) == made.items.size())
        made.items.emplace_back(name, value(levels - 1));
    }
    return made;
  }

  // Names that lead somewhere in most cases.
  std::vector<std::string> names(const Model& root) {
    std::vector<std::string> names;
    const Model* at = &root;
    while (at != nullptr && below(names.empty() ? 16 : 3) != 0) {
      if (at->kind == Model::Kind::scalar && below(8) != 0) break;
      const std::size_t item = at->items.empty() ? 0 : below(at->items.size());
      const bool is_there = !at->items.empty() && below(12) != 0;
      if (at->kind == Model::Kind::list) {
        names.push_back(is_there ? std::to_string(item)
                                 : (below(2) == 0 ? "-" : std::to_string(below(4))));
      } else {
        names.push_back(is_there ? at->items[item].first
                                 : std::string(1, static_cast<char>('a' + below(5))));
      }
      at = is_there ? &at->items[item].second : nullptr;
    }
    return names;
  }

 private:
};

std::string pointer(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "/" + name;
  return text;
}

TEST_CASE("law: a patch does what the RFC says, whatever was done before") {
  PatchGenerator generate(7);
  constexpr int rounds = schedpol::testing::tries(4000);
  int applied_operations = 0;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Model model = generate.value(4);
    while (model.items.empty()) model = generate.value(4);
    const std::string document = model.print();
    Patch patch;
    bool good = true;
    for (std::size_t count = 1 + generate.below(8); count > 0 && good; --count) {
      const auto path = generate.names(model);
      const auto from = generate.names(model);
      const Model value = generate.value(2);
      Model* const target = model.find(path, path.size());
      switch (generate.below(5)) {
        case 0:
          patch.push_back({PatchOp::add, pointer(path), value.print()});
          good = model.add(path, value);
          break;
        case 1:
          patch.push_back({PatchOp::replace, pointer(path), value.print()});
          good = target != nullptr;
          if (good) *target = value;
          break;
        case 2:
          patch.push_back({PatchOp::remove, pointer(path)});
          good = model.remove(path);
          break;
        case 3: {
          patch.push_back({PatchOp::move, pointer(path), "", pointer(from)});
          const Model* const moved = model.find(from, from.size());
          const bool into_itself = pointer(path).starts_with(pointer(from) + "/");
          good = moved != nullptr && !into_itself;
          if (!good || from == path) break;
          const Model kept = *moved;
          good = model.remove(from) && model.add(path, kept);
          break;
        }
        default: {
          patch.push_back({PatchOp::copy, pointer(path), "", pointer(from)});
          const Model* const copied = model.find(from, from.size());
          good = copied != nullptr;
          if (!good) break;
          const Model kept = *copied;
          good = model.add(path, kept);
        }
      }
      if (good) ++applied_operations;
    }
    CAPTURE(document);
    const std::string text = schedpol::json::encode(patch);
    CAPTURE(text);
    const auto result = apply_patch(document, patch);
    REQUIRE(static_cast<bool>(result) == good);
    const auto read = apply_patch(document, text);
    REQUIRE(static_cast<bool>(read) == good);
    if (good) {
      CHECK(*result == model.print());
      CHECK(*read == *result);
    } else {
      ++refused;
      const auto index = "patch"_path.index(patch.size() - 1);
      CHECK(result.errors().front().field.parent() == index);
      CHECK(read.errors() == result.errors());
    }
  }
  CHECK(applied_operations > rounds);
  CHECK(refused > rounds / 10);
  CHECK(refused < rounds * 9 / 10);
}

}  // namespace apply_patch_laws_test
