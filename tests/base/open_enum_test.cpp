// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/open_enum.hpp>

#include "../support/print.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace open_enum_test {

using namespace std::string_view_literals;

enum class Phase { unset, pending, running, unknown };

constexpr std::array<std::string_view, 3> spellings(Phase) noexcept {
  return {"", "Pending", "Running"};
}

using OpenPhase = schedpol::OpenEnum<Phase>;

static_assert(std::is_nothrow_default_constructible_v<OpenPhase>);
static_assert(std::is_nothrow_move_constructible_v<OpenPhase>);
static_assert(std::is_nothrow_move_assignable_v<OpenPhase>);
static_assert(std::is_copy_constructible_v<OpenPhase>);
static_assert(std::equality_comparable<OpenPhase>);
static_assert(std::is_convertible_v<Phase, OpenPhase>);
static_assert(!std::is_convertible_v<std::string_view, OpenPhase>);
static_assert(!std::is_convertible_v<OpenPhase, Phase>);
static_assert(!std::is_convertible_v<OpenPhase, bool>);
static_assert(noexcept(std::declval<const OpenPhase&>().word()));
static_assert(noexcept(std::declval<const OpenPhase&>().text()));
static_assert(noexcept(std::declval<const OpenPhase&>() == Phase::running));

template <class T>
concept SpellsTemporary = requires { std::declval<T>().text(); };
static_assert(!SpellsTemporary<OpenPhase>);
static_assert(!SpellsTemporary<const OpenPhase>);
static_assert(SpellsTemporary<const OpenPhase&>);

template <class Word>
std::string spelled(Word word) {
  const schedpol::OpenEnum<Word> made(word);
  return std::string(made.text());
}

/// Whether words can be read at compile time: some pairs of compiler and library have no constant
/// strings yet.
template <class Word>
constexpr bool read() {
  return !schedpol::OpenEnum<Word>("a").known();
}
template <class Word>
concept CompileTime = requires { typename std::bool_constant<read<Word>()>; };
constexpr bool later = !CompileTime<Phase>;

static_assert(later || OpenPhase().word() == Phase::unset);
static_assert(later || OpenPhase("Running").word() == Phase::running);
static_assert(later || OpenPhase("running").word() == Phase::unknown);
static_assert(later || OpenPhase(Phase::pending) == OpenPhase("Pending"));

template <class Word>
constexpr bool round_trips() {
  constexpr auto texts = spellings(Word{});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto word = static_cast<Word>(i);
    const schedpol::OpenEnum<Word> read(texts[i]);
    if (read != word || read.text() != texts[i] || !read.known()) return false;
    const schedpol::OpenEnum<Word> made(word);
    if (made.text() != texts[i]) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (texts[i] == texts[j]) return false;
    }
  }
  return true;
}

static_assert(later || round_trips<Phase>());
static_assert(later || round_trips<schedpol::TaintEffect>());
static_assert(later || round_trips<schedpol::TolerationOperator>());
static_assert(later || round_trips<schedpol::NodeSelectorOperator>());
static_assert(later || round_trips<schedpol::LabelSelectorOperator>());

TEST_CASE("a default-constructed word is unset and has the empty text") {
  const OpenPhase phase;
  CHECK(phase == Phase::unset);
  CHECK(phase.known());
  CHECK(phase.text() == ""sv);
  CHECK(phase == OpenPhase(""));
}

TEST_CASE("a text is read as the word it spells, anything else as unknown") {
  struct Case {
    std::string name;
    std::string_view text;
    Phase word;
  };
  const Case cases[] = {
      {"the empty text", "", Phase::unset},
      {"a spelling", "Pending", Phase::pending},
      {"the last spelling", "Running", Phase::running},
      {"another case", "RUNNING", Phase::unknown},
      {"a prefix", "Run", Phase::unknown},
      {"a space before", " Running", Phase::unknown},
      {"a space after", "Running ", Phase::unknown},
      {"a zero byte after", "Running\0"sv, Phase::unknown},
      {"the enumerator's own name", "unknown", Phase::unknown},
      {"a long text", "a word of more bytes than a short string holds", Phase::unknown},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const OpenPhase phase(c.text);
    CHECK((phase == c.word));
    CHECK((phase.word() == c.word));
    CHECK(phase.known() == (c.word != Phase::unknown));
    CHECK((phase.text() == c.text));
    for (const std::string_view before : {"Running", "Paused"}) {
      OpenPhase over(before);
      over.read(c.text);
      CHECK(over == phase);
    }
  }
}

TEST_CASE("unknown words are equal when their texts are") {
  CHECK(OpenPhase("Paused") == OpenPhase("Paused"));
  CHECK(OpenPhase("Paused") != OpenPhase("paused"));
  CHECK(OpenPhase("Paused") == Phase::unknown);
  CHECK(OpenPhase("Paused") != Phase::running);
  CHECK(OpenPhase("Paused") != OpenPhase(Phase::running));
}

TEST_CASE("a copy keeps an unknown text of its own") {
  OpenPhase original("a word of more bytes than a short string holds");
  const OpenPhase copy = original;
  original = Phase::running;
  CHECK(original.text() == "Running"sv);
  CHECK(original == Phase::running);
  CHECK(copy.text() == "a word of more bytes than a short string holds"sv);
}

TEST_CASE("every spelling is read as its own word and written as it came") {
  CHECK(round_trips<Phase>());
  CHECK(round_trips<schedpol::TaintEffect>());
  CHECK(round_trips<schedpol::TolerationOperator>());
  CHECK(round_trips<schedpol::NodeSelectorOperator>());
  CHECK(round_trips<schedpol::LabelSelectorOperator>());
}

TEST_CASE("the vocabularies have the spellings of Kubernetes") {
  using schedpol::LabelSelectorOperator;
  using schedpol::NodeSelectorOperator;
  using schedpol::TaintEffect;
  using schedpol::TolerationOperator;
  CHECK(spelled(TaintEffect::no_schedule) == "NoSchedule"sv);
  CHECK(spelled(TaintEffect::prefer_no_schedule) == "PreferNoSchedule"sv);
  CHECK(spelled(TaintEffect::no_execute) == "NoExecute"sv);
  CHECK(spelled(TolerationOperator::equal) == "Equal"sv);
  CHECK(spelled(TolerationOperator::exists) == "Exists"sv);
  CHECK(spelled(TolerationOperator::lt) == "Lt"sv);
  CHECK(spelled(TolerationOperator::gt) == "Gt"sv);
  CHECK(spelled(NodeSelectorOperator::in) == "In"sv);
  CHECK(spelled(NodeSelectorOperator::not_in) == "NotIn"sv);
  CHECK(spelled(NodeSelectorOperator::exists) == "Exists"sv);
  CHECK(spelled(NodeSelectorOperator::does_not_exist) == "DoesNotExist"sv);
  CHECK(spelled(NodeSelectorOperator::gt) == "Gt"sv);
  CHECK(spelled(NodeSelectorOperator::lt) == "Lt"sv);
  CHECK(spelled(LabelSelectorOperator::in) == "In"sv);
  CHECK(spelled(LabelSelectorOperator::not_in) == "NotIn"sv);
  CHECK(spelled(LabelSelectorOperator::exists) == "Exists"sv);
  CHECK(spelled(LabelSelectorOperator::does_not_exist) == "DoesNotExist"sv);
}

TEST_CASE("the unknown enumerator alone has a text, so that it is not taken for an absent word") {
  const OpenPhase unknown = Phase::unknown;
  CHECK_FALSE(unknown.known());
  CHECK(unknown != OpenPhase());
  CHECK(OpenPhase(unknown.text()) == unknown);
}

}  // namespace open_enum_test
