// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of schedpol's JSON, on top of `schedpol.hpp`. Needs simdjson 3.0 or newer.

#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/configuration_validator.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/engine.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/operations.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/request.hpp>
#include <schedpol/json/response.hpp>
#include <schedpol/json/review.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/json/writer.hpp>
#include <schedpol/schedpol.hpp>
