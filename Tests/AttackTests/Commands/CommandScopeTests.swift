import EndToEndFixtures
import Foundation
import Testing

/// The part of the installation that a command acts on, and the actor.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CommandScopeTests {
  @Test func `every command states its scope and its actor`() async throws {
    let commands = try await Described.all()
    #expect(commands.count > 150)
    for command in commands {
      let lines = command.discussion.prefix { $0 != "\n" }
      let stated = String(command.discussion.components(separatedBy: "\n\n").first ?? "")
      #expect(lines.hasPrefix("Scope: ") && stated.contains(" Actor: "), "\(command.path): \(lines)")
      // A company and a member are named in the statement exactly if the command takes them.
      let takesCompany = command.options.contains("company")
      #expect(stated.contains("--company") == takesCompany, "\(command.path): \(stated)")
      let takesMember = command.options.contains("as")
      #expect(stated.contains("--as") == takesMember, "\(command.path): \(stated)")
      // Only commands without a database act on this computer alone.
      let isLocal = stated.contains("this computer")
      #expect(!isLocal || !command.options.contains("database"), "\(command.path): \(stated)")
    }
  }

  @Test(arguments: [
    "queue pause --all --as nobody", "queue resume --all --as nobody", "queue limit --all --none --as nobody",
    "queue stats --as nobody", "job list --as nobody", "job cancel --where state=queued --as nobody",
    "job retry --where state=dead --as eva@acme.example", "report run backlog --as nobody",
    "workflow list --as nobody", "workflow activate maintenance.entry --all --as nobody",
    "history verify --as nobody", "entry list --as nobody", "company list --as nobody",
  ])
  func `a member without a company is refused`(line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let outcome = try await FettleProcess.run(FettleProcess.executable, words)
    #expect(outcome.status == 64, "\(line): \(outcome.errors)")
    #expect(outcome.errors.contains("--as"), "\(line): \(outcome.errors)")
  }

  @Test func `a member verifies the history of a company only with the right to read its audit`() async throws
  {
    try await Shell.open { shell in
      try await shell.makeCompany(["vera": "viewer"])
      #expect(try await shell.fettle("history", "verify", "--as", "vera").status == 4)
      try await shell.done("history", "verify", "--as", "eva")
      try await shell.done("history", "verify")
    }
  }

  @Test func `a change of all companies is in the audit of the installation`() async throws {
    try await Shell.open { shell in
      let environment = shell.environment.filter { $0.key != "FETTLE_COMPANY" }
      let operatorShell = Shell(folder: shell.folder, environment: environment)
      try await operatorShell.done("queue", "pause", "--all", "--reason", "test")
      try await operatorShell.done("queue", "resume", "--all")
      let audit = try await operatorShell.rows("audit", "list", "--company", "system")
      for action in ["queue.paused", "queue.resumed"] {
        let entry = try #require(audit.first { $0["action"] as? String == action })
        #expect(entry["actor"] as? String == "tester", "\(action)")
      }
    }
  }
}

/// A command without subcommands, as the argument parser describes it.
private struct Described {
  let path: String
  let discussion: String
  /// The names of its options, without dashes.
  let options: Set<String>

  static func all() async throws -> [Described] {
    let data = try await FettleProcess.grammar()
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return leaves(of: try #require(root["command"] as? [String: Any]), [])
  }

  private static func leaves(of node: [String: Any], _ path: [String]) -> [Described] {
    let name = node["commandName"] as? String ?? ""
    guard name != "help" else { return [] }
    let path = path + [name]
    let below = (node["subcommands"] as? [[String: Any]] ?? []).filter {
      $0["commandName"] as? String != "help"
    }
    guard below.isEmpty else { return below.flatMap { leaves(of: $0, path) } }
    let arguments = node["arguments"] as? [[String: Any]] ?? []
    let names = arguments.flatMap { $0["names"] as? [[String: Any]] ?? [] }
      .compactMap { $0["name"] as? String }
    return [
      Described(
        path: path.joined(separator: " "),
        discussion: node["discussion"] as? String ?? "",
        options: Set(names)
      )
    ]
  }
}
