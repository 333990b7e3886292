import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

/** Definitions of Java files, by javac's parser, as JSON lines: java Truth.java ROOT < PATHS. Rows as in truth.mjs. */
public class Truth {
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        for (String path : new BufferedReader(new InputStreamReader(System.in)).lines().toList()) {
            JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), files, d -> {}, null, null,
                files.getJavaFileObjects(root.resolve(path)));
            for (CompilationUnitTree unit : task.parse()) {
                SourcePositions places = Trees.instance(task).getSourcePositions();
                String text = unit.getSourceFile().getCharContent(true).toString();
                new Lister(path, unit, places, text, out).scan(unit, null);
            }
        }
        out.flush();
    }

    static class Lister extends TreeScanner<Void, Void> {
        final String path; final CompilationUnitTree unit; final SourcePositions places; final String text; final PrintStream out;
        int inMethods = 0;
        Lister(String path, CompilationUnitTree unit, SourcePositions places, String text, PrintStream out) {
            this.path = path; this.unit = unit; this.places = places; this.text = text; this.out = out;
        }
        void put(Tree tree, String name, String kind, boolean callable, int after) {
            long start = places.getStartPosition(unit, tree), end = places.getEndPosition(unit, tree);
            if (start < 0 || end < start || name.isEmpty()) return;
            var found = java.util.regex.Pattern.compile("(?<![\\w$.\"@])" + java.util.regex.Pattern.quote(name) + "(?![\\w$])").matcher(text);
            if (!found.find(Math.max((int) start, after))) return;
            LineMap lines = unit.getLineMap();
            out.printf("[\"%s\", %d, \"%s\", \"%s\", %d, %d, %s]%n", path, lines.getLineNumber(found.start()), name, kind,
                lines.getLineNumber(start), lines.getLineNumber(end - 1), callable);
        }
        int end(Tree tree) { return tree == null ? -1 : (int) places.getEndPosition(unit, tree); }
        @Override public Void visitClass(ClassTree tree, Void none) {
            put(tree, tree.getSimpleName().toString(), "type", false, end(tree.getModifiers()));
            int kept = inMethods; inMethods = 0;
            super.visitClass(tree, none);
            inMethods = kept;
            return null;
        }
        @Override public Void visitMethod(MethodTree tree, Void none) {
            String name = tree.getName().toString();
            int after = Math.max(end(tree.getModifiers()), end(tree.getReturnType()));
            if (!name.equals("<init>")) put(tree, name, "method", tree.getBody() != null, after);
            inMethods++;
            super.visitMethod(tree, none);
            inMethods--;
            return null;
        }
        @Override public Void visitBlock(BlockTree tree, Void none) {
            inMethods++;
            super.visitBlock(tree, none);
            inMethods--;
            return null;
        }
        @Override public Void visitLambdaExpression(LambdaExpressionTree tree, Void none) {
            inMethods++;
            super.visitLambdaExpression(tree, none);
            inMethods--;
            return null;
        }
        @Override public Void visitVariable(VariableTree tree, Void none) {
            boolean isEnum = tree.toString().startsWith("/*public static final*/");
            if (inMethods == 0) put(tree, tree.getName().toString(), isEnum ? "enum constant" : "field", false, isEnum ? -1 : end(tree.getType()));
            return super.visitVariable(tree, none);
        }
    }
}
