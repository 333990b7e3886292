// Definitions of Go files, by go/parser, as JSON lines.
//
//	go run truth.go ROOT < PATHS
//
// A row is [path, line, name, kind, start, end, callable]; both lines are inclusive.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		path := lines.Text()
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(os.Args[1], path), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		put := func(name *ast.Ident, kind string, whole ast.Node, callable bool) {
			if name.Name == "_" {
				return
			}
			at := func(pos token.Pos) int { return files.Position(pos).Line }
			row, _ := json.Marshal([]any{path, at(name.Pos()), name.Name, kind, at(whole.Pos()), at(whole.End()), callable})
			fmt.Println(string(row))
		}
		for _, each := range file.Decls {
			if function, ok := each.(*ast.FuncDecl); ok {
				put(function.Name, "function", function, true)
			} else if group, ok := each.(*ast.GenDecl); ok && (group.Tok == token.CONST || group.Tok == token.VAR) {
				for _, spec := range group.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						put(name, group.Tok.String(), spec, false)
					}
				}
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch found := node.(type) {
			case *ast.TypeSpec:
				put(found.Name, "type", found, false)
			case *ast.StructType:
				for _, field := range found.Fields.List {
					for _, name := range field.Names {
						put(name, "field", field, false)
					}
				}
			case *ast.InterfaceType:
				for _, method := range found.Methods.List {
					for _, name := range method.Names {
						put(name, "interface method", method, false)
					}
				}
			}
			return true
		})
	}
}
