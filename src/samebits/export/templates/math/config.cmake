# The math functions of samebits, as the CMake package sbmath.
#
# find_package(sbmath REQUIRED), with this folder in CMAKE_PREFIX_PATH or as sbmath_DIR, gives
#   sbmath::sbmath  sb_sin and its like, by sbmath.h
#   sbmath::libm    instead of the platform's functions, for programs that stay as they are
# Set before it, if the defaults do not fit:
#   SBMATH_TARGET   one of: @TARGETS@ (default: @TARGET@)
#   SBMATH_LINK     STATIC (default) or SHARED, of sbmath::sbmath

if(NOT DEFINED SBMATH_TARGET)
  set(SBMATH_TARGET "@TARGET@")
endif()
if(NOT DEFINED SBMATH_LINK)
  set(SBMATH_LINK STATIC)
endif()

set(_sbmath_folder "${CMAKE_CURRENT_LIST_DIR}/${SBMATH_TARGET}")
if(NOT IS_DIRECTORY "${_sbmath_folder}")
  set(sbmath_FOUND FALSE)
  set(sbmath_NOT_FOUND_MESSAGE "SBMATH_TARGET is ${SBMATH_TARGET}; this folder has: @TARGETS@")
  return()
endif()

if(NOT TARGET sbmath::sbmath)
  add_library(sbmath::sbmath ${SBMATH_LINK} IMPORTED)
  set(_sbmath_file "${_sbmath_folder}/libsbmath.a")
  if(SBMATH_LINK STREQUAL "SHARED")
    if(EXISTS "${_sbmath_folder}/sbmath.dll")
      set(_sbmath_file "${_sbmath_folder}/sbmath.dll")
      set_target_properties(sbmath::sbmath PROPERTIES
        IMPORTED_IMPLIB "${_sbmath_folder}/sbmath.lib"
        INTERFACE_COMPILE_DEFINITIONS SBMATH_SHARED)
    elseif(EXISTS "${_sbmath_folder}/libsbmath.dylib")
      set(_sbmath_file "${_sbmath_folder}/libsbmath.dylib")
    else()
      set(_sbmath_file "${_sbmath_folder}/libsbmath.so")
    endif()
  endif()
  set_target_properties(sbmath::sbmath PROPERTIES
    IMPORTED_LOCATION "${_sbmath_file}"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}")

  add_library(sbmath::libm STATIC IMPORTED)
  set_target_properties(sbmath::libm PROPERTIES
    IMPORTED_LOCATION "${_sbmath_folder}/libsbmath_libm.a"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}")
  if(NOT MSVC)
    set_target_properties(sbmath::libm PROPERTIES
      INTERFACE_COMPILE_OPTIONS "-fno-builtin;-ffp-contract=off")
  endif()
endif()
