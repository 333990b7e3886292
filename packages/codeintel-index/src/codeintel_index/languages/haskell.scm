; Haskell. A signature and the equations that follow it are one definition; what stands below `where` is local.
(declarations (class name: (_) @name) @definition.class)
(declarations (instance name: (_) @name) @definition.instance)
(declarations (data_type name: (_) @name) @definition.data)
(declarations (newtype name: (_) @name) @definition.newtype)
(type_synonym name: (_) @name) @definition.type
(declarations (type_family name: (_) @name) @definition.type)
(class_declarations (type_family name: (_) @name) @definition.type)
(data_family name: (_) @name) @definition.type
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @definition.pattern
(pattern_synonym (equation synonym: (constructor) @name)) @definition.pattern

(data_constructor constructor: (_ name: (constructor) @name)) @definition.constructor
(newtype_constructor name: (constructor) @name) @definition.constructor
(gadt_constructor name: (constructor) @name) @definition.constructor
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.constructor
(field name: (field_name (variable) @name)) @definition.field

(declarations [
  (signature name: (variable) @name)
  (signature name: (prefix_id (operator) @name))
  (function name: (variable) @name)
  (function name: (prefix_id (operator) @name))
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (variable) @name)
  (bind name: (prefix_id (operator) @name))
] @definition.function)
(class_declarations [
  (signature name: (variable) @name)
  (signature name: (prefix_id (operator) @name))
  (signature names: (binding_list name: (variable) @name))
  (signature names: (binding_list name: (prefix_id (operator) @name)))
  (function name: (variable) @name)
  (function name: (prefix_id (operator) @name))
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (variable) @name)
  (bind name: (prefix_id (operator) @name))
] @definition.function)
(instance_declarations [
  (signature name: (variable) @name)
  (signature name: (prefix_id (operator) @name))
  (function name: (variable) @name)
  (function name: (prefix_id (operator) @name))
  (function (infix operator: (operator) @name))
  (function (infix operator: (infix_id (variable) @name)))
  (bind name: (variable) @name)
  (bind name: (prefix_id (operator) @name))
] @definition.function)
(foreign_import signature: (signature name: (variable) @name)) @definition.function

(import module: (module) @module) @import
((import module: (module) @module names: (import_list name: (import_name [
    variable: (variable) @imported
    type: (name) @imported
  ]))) @import
  (#not-match? @import "^[^(]*[ \\n]hiding\\b"))

(header exports: (exports (export [variable: (variable) @export type: (name) @export])))

[(variable) (name) (constructor)] @use
[(comment) (haddock)] @comment
