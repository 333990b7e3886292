; What JavaScript, TypeScript and TSX have in common.
(class_declaration name: (_) @name) @definition.class
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_body (method_definition name: (_) @name) @definition.function)

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class

; Callables without a symbol of their own: methods of an object literal, a default export without a name.
(object (method_definition name: (_) @name) @scope.method)
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

; Bindings at the top of a module.
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
