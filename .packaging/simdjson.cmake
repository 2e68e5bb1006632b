# Looks for simdjson 3.0 or newer, which may be a part of the project already. Its package takes a question for
# 3.0 to mean 3.0.x, so its version is compared here. Sets SCHEDPOL_HAS_SIMDJSON, or SCHEDPOL_NO_SIMDJSON to why not.
macro(schedpol_find_simdjson)
  set(SCHEDPOL_HAS_SIMDJSON FALSE)
  set(SCHEDPOL_NO_SIMDJSON "it was not found")
  if(NOT TARGET simdjson::simdjson)
    find_package(simdjson QUIET)
  endif()
  if(DEFINED simdjson_VERSION AND simdjson_VERSION VERSION_LESS 3.0)
    set(SCHEDPOL_NO_SIMDJSON "${simdjson_VERSION} was found")
  elseif(TARGET simdjson::simdjson)
    set(SCHEDPOL_HAS_SIMDJSON TRUE)
  endif()
endmacro()
