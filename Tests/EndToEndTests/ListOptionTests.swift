import EndToEndFixtures
import Foundation
import Testing

/// Options for lists: given twice, they add up.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ListOptionTests {
  /// The grammar of a command, with what its options take.
  private struct Node: Decodable {
    let commandName: String
    let subcommands: [Node]?
    let arguments: [Argument]?

    struct Argument: Decodable {
      let kind: String
      let isRepeating: Bool
      let valueName: String?
      let abstract: String?
    }

    /// The options that take a list, as far as their help says so.
    func lists(below path: String = "") -> [(path: String, isRepeating: Bool)] {
      let path = "\(path) \(commandName)"
      let own = (arguments ?? []).filter { argument in
        guard argument.kind == "option" else { return false }
        // Coordinates are one value.
        let takesList = argument.valueName?.contains(",") == true && argument.valueName != "lat,lon"
        return takesList || argument.abstract?.contains("separated by commas") == true
      }
      return own.map { ("\(path) --\($0.valueName ?? "")", $0.isRepeating) }
        + (subcommands ?? []).flatMap { $0.lists(below: path) }
    }
  }

  private struct Dump: Decodable { let command: Node }

  @Test func `every option for a list is repeatable`() async throws {
    var lists = try await JSONDecoder().decode(Dump.self, from: FettleProcess.grammar()).command.lists()
    let device = FettleProcess.executable.deletingLastPathComponent().appending(path: "fettle-device")
    let text = try await FettleProcess.run(device, ["--experimental-dump-help"]).output
    let own = try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command.lists()
    #expect(!own.isEmpty)
    lists += own
    #expect(lists.count > 100)
    for list in lists { #expect(list.isRepeating, "\(list.path)") }
  }

  @Test func `options given twice add up, and a name given twice is refused`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let file = try shell.file("orders.csv", "Asset,Text,Kind\nRM-2,Leak,Engine\nRM-1,Noise,Engine\n")
      let map = ["--map", "machine=Asset", "--map", "description=Text", "--map", "category=Kind"]
      let set = ["--set", "priority=1", "--set", "external_ref="]
      let import_ = ["record", "import", "maintenance.entry", file, "--create-missing"]
      let outcome = try await shell.fettle(arguments: import_ + map + set)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let list = try await shell.done(
        "entry",
        "list",
        "-o",
        "csv",
        "--columns",
        "description",
        "--columns",
        "priority,status",
        "--sort",
        "priority",
        "--sort",
        "-description"
      ).output
      #expect(list == "description,priority,status\r\nNoise,1,pending\r\nLeak,1,pending\r\n")
      let twice = try await shell.fettle(arguments: import_ + map + ["--map", "machine=Text"])
      #expect(twice.status == 6 && twice.errors.contains("names the column machine twice"), "\(twice.errors)")
      let entry = ["entry", "import", file, "--dry-run", "--map", "machine=Asset"]
      let other = try await shell.fettle(arguments: entry + ["--map", "description=Text,category=Kind"])
      #expect(other.status == 0, "\(other.errors)")
      try await shell.done(
        "item",
        "add",
        "Drill",
        "--category",
        "Tools",
        "--tags",
        "garage",
        "--tags",
        "red,tool"
      )
      #expect(
        try await shell.rows("item", "show", "Drill").first?["tags"] as? [String] == [
          "garage", "red", "tool",
        ]
      )
      let queues = try await shell.fettle("work", "--queues", "a=2", "--queues", "a")
      #expect(queues.status == 64 && queues.errors.contains("names a twice"), "\(queues.errors)")
    }
  }

  @Test func `verbs with flags of their own take other fields with --set`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      try await shell.done("machine", "add", "RM-1", "--set", "name=Roller")
      #expect(try await shell.rows("machine", "show", "RM-1").first?["name"] as? String == "Roller")
      try await shell.done("entry", "add", "Leak", "--machine", "RM-1", "--category", "Engine")
      let hours = ["time", "add", "WO-1001", "--from", "08:00", "--to", "09:00"]
      let added = try await shell.fettle(
        arguments: hours + ["--set", "work_date=2026-01-05", "user_name=Per", "has_lunch=true"]
      )
      #expect(added.status == 0, "\(added.errors)")
      let row = try await shell.rows("time", "list").first
      #expect(row?["work_date"] as? String == "2026-01-05" && row?["has_lunch"] as? Bool == true)
      let twice = try await shell.fettle(arguments: hours + ["--guest", "Per", "--set", "start_time=07:00"])
      #expect(twice.status == 6 && twice.errors.contains("start_time is given twice"), "\(twice.errors)")
      try await shell.done("member", "add", "ana@acme.example", "--role", "admin")
      try await shell.done("macros", "log", "--protein", "30", "--set", "note=late", "--as", "ana")
    }
  }
}
