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

  /// Returns a help text for a screen, with the shared options in a section of their own.
  static func arranged(_ text: String, width: Int) -> String {
    HelpLayout.arranged(
      text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") ? sorted(text) : text,
      width: width
    )
  }

  /// Returns a help text with the shared options in a section of their own.
  static func sorted(_ text: String) -> String {
    let shared = Set(entries(Shared.helpMessage(columns: 80)).map(\.name))
    let sections = HelpLayout.sections(of: text)
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
