/// The manual page of one command, written in the mdoc language of `man`.
package struct ManualPage: Sendable {
  /// An argument, option or flag.
  package struct Argument: Sendable {
    /// The kind of an argument.
    package enum Kind: String, Sendable { case positional, option, flag }

    package let kind: Kind
    /// The names with dashes, such as `--company` and `-c`; empty for a positional argument.
    package let names: [String]
    package let valueName: String
    package let abstract: String
    package let isOptional: Bool
    package let isRepeating: Bool
    package let values: [String]

    package init(
      kind: Kind,
      names: [String],
      valueName: String,
      abstract: String,
      isOptional: Bool,
      isRepeating: Bool,
      values: [String]
    ) {
      self.kind = kind
      self.names = names
      self.valueName = valueName
      self.abstract = abstract
      self.isOptional = isOptional
      self.isRepeating = isRepeating
      self.values = values
    }
  }

  /// The words of the command, starting with the program.
  package let path: [String]
  package let abstract: String
  package let discussion: String
  package let arguments: [Argument]
  /// The names and abstracts of the subcommands.
  package let subcommands: [(name: String, abstract: String)]

  package init(
    path: [String],
    abstract: String,
    discussion: String,
    arguments: [Argument],
    subcommands: [(name: String, abstract: String)]
  ) {
    self.path = path
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
    self.subcommands = subcommands
  }

  /// The name of the page, as in `man fettle-entry-list`.
  package var name: String { path.joined(separator: "-") }

  /// Returns the text of the page.
  ///
  /// - Parameters:
  ///   - date: the date of the page, such as `November 22, 2026`.
  ///   - system: the program with its version, such as "fettle 0.2.0".
  package func mdoc(date: String, system: String) -> String {
    var lines = [
      ".Dd \(date)", ".Dt \(name.uppercased()) 1", ".Os \(Self.escaped(system))",
      // The name in one word, by which `man` and `whatis` find the page.
      ".Sh NAME", ".Nm \(Self.escaped(name))",
      ".Nd \(Self.escaped(Self.clause(abstract)))",
      ".Sh SYNOPSIS", ".Nm \(Self.escaped(path.joined(separator: " ")))",
    ]
    if !subcommands.isEmpty { lines.append(".Ar subcommand") }
    lines += arguments.map(Self.synopsis)
    let (text, examples) = Self.parts(of: discussion)
    if !text.isEmpty { lines += [".Sh DESCRIPTION"] + Self.paragraphs(text) }
    if !arguments.isEmpty {
      lines += [".Sh OPTIONS", ".Bl -tag -width 6n"]
      for argument in arguments { lines += Self.item(argument) }
      lines.append(".El")
    }
    if !subcommands.isEmpty {
      lines += [".Sh SUBCOMMANDS", ".Bl -tag -width 6n"]
      for subcommand in subcommands {
        lines += [".It Xr \(name)-\(subcommand.name) 1", Self.escaped(subcommand.abstract)]
      }
      lines.append(".El")
    }
    if !examples.isEmpty { lines += [".Sh EXAMPLES", ".Bd -literal"] + examples.map(Self.escaped) + [".Ed"] }
    return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private static func synopsis(_ argument: Argument) -> String {
    let value = argument.kind == .flag ? "" : "Ar \(escaped(argument.valueName))"
    let name = argument.names.first.map { "Fl \(escaped(String($0.dropFirst())))" } ?? ""
    let words = [name, value].filter { !$0.isEmpty }.joined(separator: " ")
    let repeated = argument.isRepeating ? " ..." : ""
    return argument.isOptional ? ".Op \(words)\(repeated)" : ".\(words)\(repeated)"
  }

  private static func item(_ argument: Argument) -> [String] {
    let value = argument.kind == .flag ? "" : " Ar \(escaped(argument.valueName))"
    let names = argument.names.map { "Fl \(escaped(String($0.dropFirst())))\(value)" }
    let head = names.isEmpty ? "Ar \(escaped(argument.valueName))" : names.joined(separator: " , ")
    let choices = argument.values.isEmpty ? "" : " One of: \(argument.values.joined(separator: ", "))."
    return [".It \(head)", escaped(argument.abstract + choices)]
  }

  /// Returns the text and the example lines of a discussion.
  private static func parts(of discussion: String) -> (text: [String], examples: [String]) {
    var text: [String] = []
    var examples: [String] = []
    var isExample = false
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("Example") {
        isExample = true
        let rest = line.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        if !rest.isEmpty { examples.append(String(rest)) }
      } else if isExample, line.hasPrefix("  ") {
        examples.append(String(line.dropFirst(2)))
      } else if !(isExample && line.isEmpty) {
        isExample = false
        text.append(line)
      }
    }
    while text.last?.isEmpty == true { text.removeLast() }
    return (text, examples)
  }

  private static func paragraphs(_ lines: [String]) -> [String] {
    lines.map { $0.isEmpty ? ".Pp" : escaped($0) }
  }

  /// Returns the abstract without a full stop, as mdoc requires after a name.
  private static func clause(_ abstract: String) -> String {
    abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
  }

  /// Returns the text escaped for mdoc: backslashes and dashes are escaped, line breaks become spaces, and
  /// the text is not parsed as a macro.
  private static func escaped(_ text: String) -> String {
    var safe = ""
    for character in text {
      switch character {
      case "\\": safe += "\\e"
      case "-": safe += "\\-"
      case "\n": safe += " "
      default: safe.append(character)
      }
    }
    return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
  }
}
