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

(assignment left: (instance_variable) @name) @self.field
(operator_assignment left: (instance_variable) @name) @self.field
(assignment left: (left_assignment_list (instance_variable) @name)) @self.field
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name (_))
  !block
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.method
(call
  method: (identifier) @_delegate
  arguments: (argument_list . (_) (simple_symbol) @name)
  (#any-of? @_delegate "def_delegators" "def_instance_delegators" "def_delegator" "def_instance_delegator"))
  @definition.method
(call
  !receiver
  method: (identifier) @_delegate
  arguments: (argument_list (simple_symbol) @name (pair))
  (#eq? @_delegate "delegate")) @definition.method
(call
  !receiver
  method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_mix "include" "extend" "prepend"))

(call
  method: (identifier) @_runner
  arguments: (argument_list . [(string) (constant) (scope_resolution)] @name)
  block: (_)
  (#any-of? @_runner "describe" "context" "it" "specify" "test" "should" "feature" "scenario")) @runner.test

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
