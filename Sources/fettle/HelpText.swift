internal import ArgumentParser
internal import CoreCommands
internal import Terminal

/// The help of a command with its own options first; those that most commands share follow in one group at the end.
enum HelpText {
  /// The options that many commands have.
  private struct Shared: AsyncParsableCommand {
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var storage: BlobOptions
  }

  private static let heading = "OPTIONS:"

  /// Returns a help text for a screen: the shared options in a section of their own, prose in lines that fill the width,
  /// and a usage that is longer than a line without the options that may be left out.
  static func arranged(_ text: String, width: Int) -> String {
    // What a shell is offered, and its script, come the same way.
    guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
    return sorted(text).components("\n\n").map { section in
      let lines = section.split(separator: "\n")
      if section.hasPrefix("USAGE: ") { return usage(section, width: width) }
      // Indented lines are examples, options and their help.
      guard lines.count > 1, !lines.contains(where: { $0.hasPrefix(" ") }) else { return section }
      return DisplayText.wrapped(lines.joined(separator: " "), to: width - 1).joined(separator: "\n")
    }.joined(separator: "\n\n")
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

  /// Returns a help text with the shared options in a section of their own.
  static func sorted(_ text: String) -> String {
    let shared = Set(entries(Shared.helpMessage(columns: 80)).map(\.name))
    let sections = text.components("\n\n")
    return sections.flatMap { section -> [String] in
      guard section.hasPrefix(heading) else { return [section] }
      let entries = entries(section)
      let common = entries.filter { shared.contains($0.name) }
      let own = entries.filter { !shared.contains($0.name) }
      guard !own.isEmpty, !common.isEmpty else { return [section] }
      return [
        ([heading] + own.map(\.text)).joined(separator: "\n"),
        (["SHARED OPTIONS:"] + common.map(\.text)).joined(separator: "\n"),
      ]
    }.joined(separator: "\n\n")
  }

  /// Returns the options of a section with their lines.
  private static func entries(_ text: String) -> [(name: String, text: String)] {
    var entries: [(name: String, text: String)] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == heading {
        isInside = true
      } else if isInside, line.hasPrefix("  -") {
        let name = line.split(separator: " ").first { $0.hasPrefix("--") } ?? ""
        entries.append((String(name.prefix { $0 != "," }), String(line)))
      } else if isInside, !line.isEmpty, line.first == " ", let last = entries.indices.last {
        entries[last].text += "\n\(line)"
      } else if !line.isEmpty {
        isInside = false
      }
    }
    return entries
  }
}

extension String {
  /// Returns the parts between separators, as Foundation's function does.
  fileprivate func components(_ separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
