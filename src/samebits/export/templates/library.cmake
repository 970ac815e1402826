# @NAME@ as the CMake target @NAME@::@NAME@.
#
# Set before include(), if the defaults do not fit:
#   @GUARD@_TARGET  one of: @TARGETS@ (default: @TARGET@)
#   @GUARD@_LINK    STATIC (default) or SHARED

if(NOT DEFINED @GUARD@_TARGET)
  set(@GUARD@_TARGET "@TARGET@")
endif()
if(NOT DEFINED @GUARD@_LINK)
  set(@GUARD@_LINK STATIC)
endif()

if(NOT TARGET @NAME@::@NAME@)
  set(_@NAME@_folder "${CMAKE_CURRENT_LIST_DIR}/${@GUARD@_TARGET}")
  if(NOT IS_DIRECTORY "${_@NAME@_folder}")
    message(FATAL_ERROR "@GUARD@_TARGET is ${@GUARD@_TARGET}; this folder has: @TARGETS@")
  endif()
  add_library(@NAME@::@NAME@ ${@GUARD@_LINK} IMPORTED)
  set_target_properties(@NAME@::@NAME@ PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}")
  set(_@NAME@_file "${_@NAME@_folder}/lib@NAME@.a")
  if(@GUARD@_LINK STREQUAL "SHARED")
    if(EXISTS "${_@NAME@_folder}/@NAME@.dll")
      set(_@NAME@_file "${_@NAME@_folder}/@NAME@.dll")
      set_target_properties(@NAME@::@NAME@ PROPERTIES
        IMPORTED_IMPLIB "${_@NAME@_folder}/@NAME@.lib"
        INTERFACE_COMPILE_DEFINITIONS @GUARD@_SHARED)
    elseif(EXISTS "${_@NAME@_folder}/lib@NAME@.dylib")
      set(_@NAME@_file "${_@NAME@_folder}/lib@NAME@.dylib")
    else()
      set(_@NAME@_file "${_@NAME@_folder}/lib@NAME@.so")
    endif()
  endif()
  set_target_properties(@NAME@::@NAME@ PROPERTIES IMPORTED_LOCATION "${_@NAME@_file}")
endif()
