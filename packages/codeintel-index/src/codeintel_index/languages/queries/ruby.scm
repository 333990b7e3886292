; Ruby. What `class << self` holds counts as the class's own.
(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.module
(module name: (scope_resolution !scope name: (constant) @name)) @definition.module
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.class
(class name: (scope_resolution !scope name: (constant) @name)) @definition.class

; `Point = Struct.new(:x) do …`, `Failed = Class.new(StandardError)`
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_make)
  (#any-of? @_maker "Struct" "Class" "Data" "Module")
  (#any-of? @_make "new" "define")) @definition.class

(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(program (singleton_method object: (constant) @receiver name: (_) @name) @definition.method)
(singleton_method name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  block: (_)
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.method
(alias name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_alias
  arguments: (argument_list . [(simple_symbol) (string)] @name .)
  (#eq? @_alias "alias_method")) @definition.method
(call
  !receiver
  method: (identifier) @_alias
  arguments: (argument_list . [(simple_symbol) (string)] @name [(simple_symbol) (string)])
  (#eq? @_alias "alias_method")) @definition.method

(call
  method: (identifier) @_attribute
  arguments: (argument_list [(simple_symbol) (string)] @name)
  (#match? @_attribute "^([cm]?attr|thread_[cm]?attr(_internal)?)_(reader|writer|accessor)$|^class_attribute$"))
  @definition.property

(assignment left: (constant) @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant

(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string . (string_content) @module .) .)
  (#any-of? @_require "require" "require_relative" "load" "require_dependency")) @import
(call
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) . (string . (string_content) @module .) .)
  (#eq? @_autoload "autoload")) @import

[(identifier) (constant)] @use
(simple_symbol) @words
(hash_key_symbol) @words
(comment) @comment
