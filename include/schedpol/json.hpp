// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All of schedpol's JSON, on top of `schedpol.hpp`.

#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/evaluate.hpp>
#include <schedpol/json/extend.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/patch_operation.hpp>
#include <schedpol/json/raw_message.hpp>
#include <schedpol/json/review.hpp>
#include <schedpol/json/suggestion.hpp>
#include <schedpol/json/templates.hpp>
#include <schedpol/schedpol.hpp>
