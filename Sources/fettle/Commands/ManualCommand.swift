internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Terminal

struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print or install manual pages",
    scope: .computer,
    discussion: """
      Without a command, prints the page of fettle itself. --install writes the pages
      of all commands to a folder. `man fettle-entry-list` finds them if the folder
      is named man1 and its parent folder is in MANPATH.

      Examples:
        fettle manual entry list | man -l -
        fettle manual --install ~/.local/share/man/man1
      """
  )

  @Argument(help: "The command, such as entry list") var command: [String] = []

  @Option(
    help: ArgumentHelp("Write the pages of all commands into this folder", valueName: "folder"),
    completion: .directory
  )
  var install: String?

  func validate() throws {
    if install != nil, !command.isEmpty {
      throw ValidationError("--install writes the pages of all commands, so it takes no command")
    }
  }

  func run() throws {
    let pages = try ManualPage.all(in: Fettle._dumpHelp())
    if let install { return try write(pages, to: install) }
    let path = ["fettle"] + command
    guard let page = pages.first(where: { $0.path == path }) else {
      let names = pages.map { $0.path.dropFirst().joined(separator: " ") }
      let typed = command.joined(separator: " ")
      throw TerminalError(
        .unknownChoice,
        "there is no command \(Quoted(typed))",
        hint: Suggestion.closest(to: typed, among: names).map { "did you mean `fettle manual \($0)`?" }
          ?? "run `fettle --help` for the commands"
      )
    }
    var out = BufferedOutput()
    try out.write(text(page))
    try out.flush()
  }

  private func text(_ page: ManualPage) -> String { page.mdoc(date: Version.date, system: Version.line) }

  private func write(_ pages: [ManualPage], to folder: String) throws {
    let url = URL(filePath: folder)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for page in pages {
        try Data(text(page).utf8).write(to: url.appending(path: "\(page.name).1"), options: .atomic)
      }
    } catch {
      throw FileFault(error, path: folder)
    }
    Message.tell("wrote \(pages.count) manual pages to \(folder)")
  }
}

extension ManualPage {
  /// Returns the pages of all commands, from the JSON in which the argument parser describes them.
  static func all(in description: String) throws -> [ManualPage] {
    let document = try JSONValue(parsing: description, limits: .stored)
    guard let command = document.object?["command"]?.object else { return [] }
    return pages(of: command, path: [])
  }

  private static func pages(of command: JSONObject, path: [String]) -> [ManualPage] {
    let path = path + [command["commandName"]?.string ?? ""]
    let subcommands = (command["subcommands"]?.array ?? []).compactMap(\.object).filter {
      $0["commandName"]?.string != "help" && $0["shouldDisplay"]?.bool != false
    }
    let page = ManualPage(
      path: path,
      abstract: command["abstract"]?.string ?? "",
      discussion: command["discussion"]?.string ?? "",
      arguments: (command["arguments"]?.array ?? []).compactMap(\.object).compactMap(argument),
      subcommands: subcommands.map { ($0["commandName"]?.string ?? "", $0["abstract"]?.string ?? "") }
    )
    return [page] + subcommands.flatMap { pages(of: $0, path: path) }
  }

  private static func argument(_ argument: JSONObject) -> Argument? {
    guard let kind = Argument.Kind(rawValue: argument["kind"]?.string ?? ""),
      argument["shouldDisplay"]?.bool != false
    else { return nil }
    let names = (argument["names"]?.array ?? []).compactMap(\.object).compactMap { name in
      name["name"]?.string.map { (name["kind"]?.string == "short" ? "-" : "--") + $0 }
    }
    return Argument(
      kind: kind,
      names: names.sorted { $0.count > $1.count },
      valueName: argument["valueName"]?.string ?? "",
      abstract: argument["abstract"]?.string ?? "",
      isOptional: argument["isOptional"]?.bool ?? true,
      isRepeating: argument["isRepeating"]?.bool ?? false,
      values: (argument["allValues"]?.array ?? argument["allValueStrings"]?.array ?? []).compactMap(\.string)
    )
  }
}
