; Elixir. Its definitions are calls; clauses of one function that stand together are one.
((call target: (identifier) @_def (arguments . (alias) @name)) @definition.module (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name)) @definition.protocol (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @name)) @scope.impl (#eq? @_def "defimpl"))
((call target: (identifier) @name) @definition.struct (#any-of? @name "defstruct" "defexception"))

((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    (binary_operator operator: ["+" "-" "*" "/" "==" "!=" "<" ">" "<=" ">=" "|>" "++" "--" "<>" "&&&" "|||" ".." "in"] @name)
  ])) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
  ])) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_def (arguments . (string) @name)) @definition.test
  (#any-of? @_def "test" "property"))
((call target: (identifier) @_def (arguments . (string) @name) (do_block)) @scope.namespace
  (#eq? @_def "describe"))

((unary_operator operator: "@" operand: (call target: (identifier) @_at
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::"))))
  @definition.type
  (#any-of? @_at "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at
    (arguments [
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")
      (binary_operator
        left: (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")
        operator: "when")
    ])))
  @definition.callback
  (#any-of? @_at "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @top.constant
  (#not-match? @name "^(module|type)?doc$|^spec$|^typep?$|^opaque$|callbacks?$|^impl$|^behaviou?r$|^derive$|tag$")
  (#not-match? @name "^enforce_keys$|^dialyzer$|_?compile$|^on_(load|definition)$|^external_resource$|^deprecated$")
  (#not-match? @name "^since$|^vsn$"))

; Documentation: a module's stands in it, a function's above it.
((call target: (identifier) @_def
    (do_block (unary_operator operand: (call target: (identifier) @_at (arguments (string (quoted_content) @doc))))))
  @documented
  (#any-of? @_def "defmodule" "defprotocol") (#eq? @_at "moduledoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @comment (#any-of? @_at "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attribute
  (#any-of? @_at "spec" "impl" "tag" "deprecated" "since"))

((call target: (identifier) @_import (arguments . (alias) @module)) @import
  (#any-of? @_import "import" "alias" "use" "require"))
((call target: (identifier) @_import
    (arguments . (dot left: (alias) @module right: (tuple (alias) @imported)))) @import
  (#any-of? @_import "import" "alias" "use" "require"))

(identifier) @use
(alias) @words
(comment) @comment
