/// The help of commands on a screen: prose in lines that fill the width, and a usage that fits a line.
package enum HelpLayout {
  /// Returns a help text for a screen. A usage that is longer than a line has no options that may be left out.
  package static func arranged(_ text: String, width: Int) -> String {
    // What a shell is offered, and its script, come the same way.
    guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
    return sections(of: withoutSecondVersion(text)).map { section in
      let lines = section.split(separator: "\n")
      if section.hasPrefix("USAGE: ") { return usage(section, width: width) }
      // Indented lines are examples, options and their help.
      guard lines.count > 1, !lines.contains(where: { $0.hasPrefix(" ") }) else { return section }
      return DisplayText.wrapped(lines.joined(separator: " "), to: width - 1).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// Returns the text without the line of the parser's `--version`, if the command has an option of that name itself.
  private static func withoutSecondVersion(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let options = lines.filter { $0.prefixMatch(of: /\ +--version\s/) != nil }
    guard options.count > 1 else { return text }
    return lines.filter { $0.wholeMatch(of: /\ +--version +Show the version\./) == nil }
      .joined(separator: "\n")
  }

  /// Returns a usage that fits a line, or one with `[<options>]` for all options that may be left out.
  private static func usage(_ section: String, width: Int) -> String {
    let options = "[<options>]"
    guard section.count > width || section.contains("<options>") else { return section }
    let text = section.replacing("\n", with: " ").replacing(/\[-[^\]]*\] ?/, with: "")
    let words = text.split(separator: " ").map(String.init).filter { ![options, "<options>"].contains($0) }
    let command = words.prefix { !$0.hasPrefix("<") && !$0.hasPrefix("[") && !$0.hasPrefix("-") }
    let usage = (command + [options] + words.dropFirst(command.count)).joined(separator: " ")
    return DisplayText.folded(usage, to: width)
  }

  /// Returns the parts of a help text between empty lines.
  package static func sections(of text: String) -> [String] {
    var parts: [String] = []
    var rest = text[...]
    while let range = rest.firstRange(of: "\n\n") {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
