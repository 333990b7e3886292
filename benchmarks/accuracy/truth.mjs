// Definitions of JavaScript and TypeScript files, by the TypeScript compiler, as JSON lines.
//
//     node truth.mjs FOLDER_OF_TYPESCRIPT ROOT < PATHS
//
// A row is [path, line, name, kind, start, end, callable]; start and end are lines with decorators, both inclusive.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [, , tools, root] = process.argv;
const ts = createRequire(join(tools, "x.js"))("typescript");
const K = ts.SyntaxKind;
const RUNNERS = new Set(["describe", "it", "test", "suite", "context", "bench"]);

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(join(root, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const bound = new Set();

  const put = (node, name, kind, callable, at = name) => {
    const written = typeof name === "string" ? name : (name.text ?? name.getText(source));
    if (name.kind === K.ComputedPropertyName || !written) return;
    const row = [path, line(at.getStart(source)), written, kind, line(node.getStart(source)), line(node.getEnd()), callable];
    process.stdout.write(JSON.stringify(row) + "\n");
  };
  const isFunction = (node) =>
    node && [K.FunctionExpression, K.ArrowFunction].includes(node.kind);
  const isRequire = (node) =>
    node && ts.isCallExpression(node) && node.expression.getText(source) === "require";

  const visit = (node, depth, owner) => {
    switch (node.kind) {
      case K.ClassDeclaration:
      case K.InterfaceDeclaration:
      case K.EnumDeclaration:
      case K.TypeAliasDeclaration:
        if (node.name) put(node, node.name, "type", false);
        break;
      case K.FunctionDeclaration:
        if (node.name) put(node, node.name, "function", !!node.body);
        break;
      case K.MethodDeclaration:
      case K.GetAccessor:
      case K.SetAccessor:
        put(node, node.name, node.parent.kind === K.ObjectLiteralExpression ? "object method" : "method", !!node.body);
        break;
      case K.PropertyDeclaration:
        put(node, node.name, "class field", isFunction(node.initializer));
        break;
      case K.PropertySignature:
      case K.MethodSignature:
        put(node, node.name, node.parent.kind === K.InterfaceDeclaration ? "interface member" : "type-literal member", false);
        break;
      case K.EnumMember:
        put(node, node.name, "enum member", false);
        break;
      case K.VariableDeclaration:
        if (ts.isIdentifier(node.name)) {
          if (isFunction(node.initializer)) put(node, node.name, "function", true);
          else if (depth === 0) put(node, node.name, isRequire(node.initializer) ? "require" : "variable", false);
        }
        break;
      case K.PropertyAssignment:
        if (isFunction(node.initializer)) put(node, node.name, "object method", true);
        else if (owner && depth === 0) put(node, node.name, "object key", false);
        break;
      case K.BinaryExpression:
        if (node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
          const left = node.left, name = left.name;
          if (isFunction(node.right)) put(node, name, "assigned function", true);
          else if (left.expression.kind === K.ThisKeyword) {
            const key = (owner?.pos ?? "") + name.text;
            if (!bound.has(key)) put(node, name, "this.x", false);
            bound.add(key);
          }
        }
        break;
      case K.CallExpression: {
        const called = node.expression.getText(source);
        const [, key] = node.arguments;
        if (/^Object\.defineProperty$|^defineGetter$/.test(called) && key && ts.isStringLiteral(key)) {
          put(node, key.text, "defineProperty", node.arguments.some(isFunction), key);
        } else if (RUNNERS.has(called.split(".")[0]) && key && isFunction(node.arguments.at(-1))) {
          const title = node.arguments[0];
          if (ts.isStringLiteralLike(title)) put(node, title.text, "test", true, node);
        }
        break;
      }
    }
    const inside = ts.isFunctionLike(node) || ts.isClassLike(node);
    const holder = ts.isClassLike(node) || ts.isFunctionDeclaration(node) ? node
      : ts.isVariableDeclaration(node) && node.initializer?.kind === K.ObjectLiteralExpression ? node
      : node.kind === K.ObjectLiteralExpression && node.parent !== owner ? null : owner;
    ts.forEachChild(node, (child) => visit(child, depth + inside, holder));
  };
  visit(source, 0, null);
}
