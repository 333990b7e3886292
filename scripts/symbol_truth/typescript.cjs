// What the TypeScript compiler finds in the files named on stdin. One JSON object a line: path, name, line, group.
const fs = require("fs");
const ts = require("typescript");

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const bare = (text) => text.replace(/^["'`]|["'`]$/g, "");

function visit(file, path, node) {
  const emit = (name, group, text) => {
    const line = file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1;
    console.log(JSON.stringify({ path, name: bare(text ?? name.getText(file)), line, group }));
  };
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
      || ts.isEnumDeclaration(node)) {
    if (node.name) emit(node.name, "type");
  } else if (ts.isFunctionDeclaration(node)) {
    if (node.name) emit(node.name, "function");
  } else if (ts.isConstructorDeclaration(node)) {
    const word = node.getChildren(file).find((child) => child.kind === ts.SyntaxKind.ConstructorKeyword);
    emit(word ?? node, "function", "constructor");
  } else if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
    if (ts.isClassLike(node.parent)) emit(node.name, "function");
  } else if (ts.isMethodSignature(node)) {
    if (ts.isInterfaceDeclaration(node.parent)) emit(node.name, "function");
  } else if (ts.isPropertyDeclaration(node)) {
    if (isFunction(node.initializer)) emit(node.name, "function");
  } else if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
    if (isFunction(node.initializer)) emit(node.name, "function");
    else if (ts.isClassExpression(node.initializer)) emit(node.name, "type");
  } else if (ts.isBinaryExpression(node) && isFunction(node.right)) {
    const assigned = /^(?:module\.)?exports\.([\w$]+)$|^[\w$]+\.prototype\.([\w$]+)$/.exec(node.left.getText(file));
    if (assigned && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && ts.isPropertyAccessExpression(node.left))
      emit(node.left.name, "function");
  }
  ts.forEachChild(node, (child) => visit(file, path, child));
}

const KINDS = { tsx: 4, jsx: 2, js: 1, mjs: 1, cjs: 1 };
for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const kind = KINDS[path.split(".").pop()] ?? 3;
  const text = fs.readFileSync(path, "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  visit(file, path, file);
}
