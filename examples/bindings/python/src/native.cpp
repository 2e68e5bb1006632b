// SPDX-License-Identifier: Apache-2.0
// The C ABI as a module of Python: bytes in, a status and bytes out, without the GIL.

#include "schedpol.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

/// A text of the library, given back when it goes.
class Text {
 public:
  Text() = default;
  Text(Text&& other) noexcept : text_(std::exchange(other.text_, {nullptr, 0})) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { schedpol_text_free(&text_); }

  schedpol_text* place() noexcept { return &text_; }
  nb::bytes bytes() const { return nb::bytes(text_.data, text_.length); }

 private:
  schedpol_text text_{nullptr, 0};
};

/// What became of a call, and its text.
nb::tuple answer(schedpol_status status, const Text& text) {
  return nb::make_tuple(static_cast<int>(status), text.bytes());
}

/// Calls `f(place of the text)` without the GIL.
template <class F>
nb::tuple call(F&& f) {
  Text text;
  schedpol_status status;
  {
    const nb::gil_scoped_release released;
    status = f(text.place());
  }
  return answer(status, text);
}

/// The bytes of a list, which has to stay as it is: the package makes one for each call.
std::vector<schedpol_text> texts(const nb::list& list) {
  std::vector<schedpol_text> all;
  for (const nb::handle item : list) {
    const auto bytes = nb::cast<nb::bytes>(item);
    all.push_back({static_cast<const char*>(bytes.data()), bytes.size()});
  }
  return all;
}

/// The same with a number of an engine, that `f(documents, place of the number, errors)` makes.
template <class F>
nb::tuple make(const nb::list& documents, F&& f) {
  const std::vector<schedpol_text> all = texts(documents);
  schedpol_engine made = 0;
  const nb::tuple answered =
      call([&](schedpol_text* errors) { return f(all.data(), all.size(), &made, errors); });
  return nb::make_tuple(answered[0], answered[1], made);
}

nb::bytes bytes_of(const nb::object& maybe) {
  return maybe.is_none() ? nb::bytes("", 0) : nb::cast<nb::bytes>(maybe);
}

nb::tuple decide(schedpol_engine engine, const nb::bytes& object, const nb::object& asked) {
  const nb::bytes besides = bytes_of(asked);
  return call([&](schedpol_text* decision) {
    return schedpol_decide(engine, object.c_str(), object.size(), besides.c_str(), besides.size(),
                           decision);
  });
}

/// A status and a text for each object, decided on by so many threads.
nb::list decide_many(schedpol_engine engine, const nb::list& objects, const nb::object& asked,
                     std::size_t threads) {
  const std::vector<schedpol_text> all = texts(objects);
  const nb::bytes besides = bytes_of(asked);
  std::vector<std::pair<schedpol_status, Text>> decisions(all.size());
  {
    const nb::gil_scoped_release released;
    const std::size_t parts =
        std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(all.size(), 1));
    const auto decide_part = [&](std::size_t part) {
      for (std::size_t i = part; i < all.size(); i += parts) {
        auto& [status, text] = decisions[i];
        status = schedpol_decide(engine, all[i].data, all[i].length, besides.c_str(),
                                 besides.size(), text.place());
      }
    };
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back(decide_part, part);
    decide_part(0);
  }
  nb::list answers;
  for (const auto& [status, text] : decisions) answers.append(answer(status, text));
  return answers;
}

}  // namespace

NB_MODULE(_native, module) {
  module.def("abi_version", &schedpol_abi_version);
  module.def("version", &schedpol_version);
  module.def("evaluate", [](const nb::bytes& request) {
    return call([&](schedpol_text* reply) {
      return schedpol_evaluate(request.c_str(), request.size(), reply);
    });
  });
  module.def("engine_new",
             [](const nb::list& documents) { return make(documents, &schedpol_engine_new); });
  module.def("engine_with", [](schedpol_engine engine, const nb::list& documents) {
    return make(documents,
                [engine](auto... rest) { return schedpol_engine_with(engine, rest...); });
  });
  module.def("engine_without", [](schedpol_engine engine, const nb::list& documents) {
    return make(documents,
                [engine](auto... rest) { return schedpol_engine_without(engine, rest...); });
  });
  module.def("engine_problems", [](schedpol_engine engine) {
    return call([&](schedpol_text* text) { return schedpol_engine_problems(engine, text); });
  });
  module.def("engine_free",
             [](schedpol_engine engine) { return static_cast<int>(schedpol_engine_free(engine)); });
  module.def("decide", &decide, nb::arg("engine"), nb::arg("object"), nb::arg("asked").none());
  module.def("decide_many", &decide_many, nb::arg("engine"), nb::arg("objects"),
             nb::arg("asked").none(), nb::arg("threads"));
  module.def("review", [](schedpol_engine engine, const nb::bytes& review, int phase) {
    return call([&](schedpol_text* reply) {
      return schedpol_review(engine, review.c_str(), review.size(),
                             static_cast<schedpol_phase>(phase), reply);
    });
  });
  module.def("yaml_to_json", [](const nb::bytes& yaml) {
    return call([&](schedpol_text* json) {
      return schedpol_yaml_to_json(yaml.c_str(), yaml.size(), json);
    });
  });
}
