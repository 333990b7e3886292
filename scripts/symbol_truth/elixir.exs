# What Elixir's own parser finds in the files named on stdin. Tab-separated: path, name, line, group.
defmodule Truth do
  @functions [:def, :defp, :defdelegate]
  @macros [:defmacro, :defmacrop, :defguard, :defguardp]

  def read(path) do
    case Code.string_to_quoted(File.read!(path), columns: true, emit_warnings: false) do
      {:ok, tree} -> Macro.prewalk(tree, &visit(&1, path))
      {:error, _} -> IO.puts("#{path}\t\t0\terror")
    end
  end

  defp visit({word, meta, [head | _]} = node, path) when word in @functions do
    emit(path, name(head), meta, "function")
    node
  end

  defp visit({word, meta, [head | _]} = node, path) when word in @macros do
    emit(path, name(head), meta, "macro")
    node
  end

  defp visit({word, meta, [{:__aliases__, _, parts} | _]} = node, path) when word in [:defmodule, :defprotocol] do
    emit(path, parts |> List.last() |> to_string(), meta, "type")
    node
  end

  defp visit({word, meta, [text, _ | _]} = node, path) when word == :test and is_binary(text) do
    emit(path, text, meta, "test")
    node
  end

  defp visit({:@, meta, [{word, _, [{:"::", _, [head | _]}]}]} = node, path) when word in [:type, :typep, :opaque] do
    emit(path, name(head), meta, "alias")
    node
  end

  defp visit(node, _), do: node

  defp name({:when, _, [head | _]}), do: name(head)
  defp name({:unquote, _, _}), do: nil
  defp name({name, _, _}) when is_atom(name), do: to_string(name)
  defp name(_), do: nil

  defp emit(_, nil, _, _), do: nil
  defp emit(path, name, meta, group), do: IO.puts("#{path}\t#{name}\t#{meta[:line]}\t#{group}")
end

:stdio |> IO.stream(:line) |> Enum.map(&String.trim/1) |> Enum.each(&Truth.read/1)
