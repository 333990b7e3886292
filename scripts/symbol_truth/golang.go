// What go/parser finds in the files named on stdin. One JSON object a line: path, name, line, group.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

type fact struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Line  int    `json:"line"`
	Group string `json:"group"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		read(lines.Text(), out)
	}
}

func read(path string, out *json.Encoder) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		_ = out.Encode(map[string]string{"path": path, "error": err.Error()})
		return
	}
	emit := func(name *ast.Ident, group string) {
		if name.Name != "_" {
			_ = out.Encode(fact{path, name.Name, files.Position(name.Pos()).Line, group})
		}
	}
	for _, declared := range file.Decls {
		if group, ok := declared.(*ast.GenDecl); ok {
			for _, spec := range group.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						emit(name, "value")
					}
				}
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch each := node.(type) {
		case *ast.FuncDecl:
			emit(each.Name, "function")
		case *ast.TypeSpec:
			emit(each.Name, "type")
			if held, ok := each.Type.(*ast.InterfaceType); ok {
				for _, method := range held.Methods.List {
					for _, name := range method.Names {
						emit(name, "function")
					}
				}
			}
		}
		return true
	})
}
