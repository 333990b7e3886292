; What JavaScript, TypeScript and TSX have in common.
(class_declaration name: (_) @name) @definition.class
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_body (method_definition name: (_) @name) @definition.function)

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class

; Methods, accessors and functions of an object literal; of a constant one the other keys as well.
(object (method_definition name: (_) @name) @member.method)
(object
  (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function) (function_expression) (generator_function)]) @member.method)
(program
  (lexical_declaration
    (variable_declarator value: (object (pair key: [(property_identifier) (string)] @name) @member.field))))
(program
  (variable_declaration
    (variable_declarator value: (object (pair key: [(property_identifier) (string)] @name) @member.field))))
(export_statement
  (lexical_declaration
    (variable_declarator value: (object (pair key: [(property_identifier) (string)] @name) @member.field))))

; A callable without a symbol of its own: a default export without a name.
(export_statement "default" @name value: [(function_expression) (arrow_function)]) @scope.function
(export_statement "default" @name value: (class)) @scope.class

; `exports.f = …`, `module.exports.f = …`
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @export)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_exports "exports")) @definition.function
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name @export)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.function
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @export)
  (#eq? @_exports "exports")) @top.variable
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name @export)
  (#eq? @_module "module") (#eq? @_exports "exports")) @top.variable

; `T.prototype.f = function …`
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @receiver property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype")) @definition.function

; `this.f = …` belongs to the class or constructor; `res.send = function …` to what stands before the last dot.
(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @self.method
(assignment_expression left: (member_expression object: (this) property: (_) @name)) @self.field
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @receiver property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (assignment_expression right: [(arrow_function) (function_expression) (generator_function)])
  ]) @definition.function

; `Object.defineProperty(req, "ip", …)`, and helpers that are called after it.
((call_expression
  function: (member_expression object: (identifier) @_object property: (property_identifier) @_define)
  arguments: (arguments . [(identifier) (member_expression) (this)] @receiver . (string) @name)) @definition.property
  (#eq? @_object "Object") (#eq? @_define "defineProperty"))
((call_expression
  function: (identifier) @_define
  arguments: (arguments
    . [(identifier) (member_expression) (this)] @receiver
    . (string) @name
    . [(function_expression) (arrow_function)])) @definition.property
  (#match? @_define "^define(Getter|Setter|Property|Method)$"))

; What a test runner is handed, by its title.
((call_expression
  function: [
    (identifier) @_runner
    (member_expression object: (identifier) @_runner)
    (call_expression function: (member_expression object: (identifier) @_runner))
  ]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function) (function_expression)])) @runner.test
  (#any-of? @_runner "describe" "it" "test" "suite" "context" "specify" "bench" "fdescribe" "fit" "xdescribe" "xit"))

; Bindings at the top of a module; what is required is only bound there.
((program
  (lexical_declaration
    (variable_declarator
      name: (identifier) @name value: (call_expression function: (identifier) @_require)) @top.import))
  (#eq? @_require "require"))
((program
  (variable_declaration
    (variable_declarator
      name: (identifier) @name value: (call_expression function: (identifier) @_require)) @top.import))
  (#eq? @_require "require"))
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @top.constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @top.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @top.variable))
(export_statement
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @top.constant))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @top.variable))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @top.variable))

(import_statement source: (string) @module) @import
(import_statement (import_clause (identifier) @imported) source: (string) @module) @import
(import_statement (import_clause (namespace_import "*" @imported)) source: (string) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported))) source: (string) @module) @import
(export_statement source: (string) @module) @import
(export_statement "*" @imported source: (string) @module) @import
(export_statement (export_clause (export_specifier name: (_) @imported)) source: (string) @module) @import
((call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @module)) @import
((variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @imported)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)) @import)
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @imported))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .)) @import)
  (#eq? @_require "require"))

(program (export_statement declaration: (_ name: (_) @export)))
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @export))))
(program (export_statement "default" @export))
(program (export_statement (export_clause (export_specifier name: (_) @export !alias))))
(program (export_statement (export_clause (export_specifier alias: (_) @export))))

[
  (identifier)
  (property_identifier)
  (private_property_identifier)
  (shorthand_property_identifier)
  (shorthand_property_identifier_pattern)
  (statement_identifier)
] @use
(comment) @comment
