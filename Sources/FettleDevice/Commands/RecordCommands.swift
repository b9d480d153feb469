internal import ArgumentParser
internal import FettleClient
internal import Terminal

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `fettle-device list`.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List records, or show one",
    discussion: """
      Records marked with * have changes that are not synchronised. On a terminal, the first 100 records are listed.

      Examples:
        fettle-device list
        fettle-device list maintenance.entry --where status=pending
        fettle-device list maintenance.entry --columns number,status,description
        fettle-device list maintenance.entry WO-1001
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Argument(help: "Type; without it, the types are listed") var type: String?
  @Argument(help: "Record to show: its number, key or id, or the beginning of the id") var record: String?
  @Option(help: ArgumentHelp("Only these fields, in this order (repeatable)", valueName: "a,b"))
  var columns: [String] = []
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only records with this value in a field (repeatable)", valueName: "field=value")
  )
  var conditions: [String] = []
  @Option(help: "Maximum number of records (default: 100 on a terminal, else all)") var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is 1 or more") }
  }

  func run() async throws {
    let conditions = try conditions.map { text in
      let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2 else { throw ValidationError("--where is field=value") }
      return (field: halves[0], value: halves[1])
    }
    let chosen = columns.flatMap { $0.split(separator: ",").map(String.init) }
    try await folder.open { client in
      guard let type else {
        var rows: [[String]] = []
        for type in try await client.types {
          rows.append([type, "\(try await client.records(type).all().count)"])
        }
        return Output.table(["TYPE", "RECORDS"], rows)
      }
      let records = try await client.records(type).all().filter { record in
        conditions.allSatisfy { Output.text(record[$0.field]) == $0.value }
      }
      if let name = record {
        let found = try await RecordArgument.parse([type, name]).find(client)
        guard let record = records.first(where: { $0.id == found }) else { return }
        return show(record, chosen)
      }
      let names = chosen.isEmpty ? Self.names(records) : chosen
      let shown = Array(records.prefix(limit ?? (Output.screen.isTerminal ? 100 : .max)))
      if Output.screen.isTerminal, !names.isEmpty {
        Self.tell(shown, names)
      } else {
        Output.table(
          ["ID", "VERSION"] + names.map { $0.uppercased() },
          shown.map { record in
            [Output.text(record.id) + (record.isChanged ? "*" : ""), "\(record.version)"]
              + names.map { Output.text(record[$0]) }
          }
        )
      }
      if shown.count < records.count {
        Output.error("first \(shown.count) of \(records.count) shown; --limit shows more")
      }
    }
  }

  /// Prints records for people: what they are called first, and as much of the id as commands need.
  private static func tell(_ records: [LocalRecord], _ names: [String]) {
    Output.table(
      names + ["id"],
      records.map { record in
        let cells = names.map { Output.text(record[$0]) }
        let first = (cells.first ?? "") + (record.isChanged ? "*" : "")
        return [first] + cells.dropFirst() + [String(Output.text(record.id).prefix(13))]
      }
    )
  }

  private func show(_ record: LocalRecord, _ chosen: [String]) {
    let fields = record.fields.merging(["id": .string(Output.text(record.id))]) { first, _ in first }
    Output.fields(chosen.isEmpty ? fields : fields.filter { chosen.contains($0.key) })
    print("changed on this device: \(record.isChanged ? "yes" : "no")")
    for file in record.files {
      print(
        "file: \(Output.text(file.id)) \(file.kind) \(file.name) \(file.size) bytes, \(Self.text(file.state))"
      )
    }
  }

  private static func text(_ state: LocalFile.State) -> String {
    switch state {
    case .waiting: "waiting"
    case .failed(let code): "failed (\(code ?? "not sent"))"
    case .preparing: "preparing"
    case .ready: "ready"
    }
  }

  /// The fields that tell records apart, as far as the type has them.
  private static func names(_ records: [LocalRecord]) -> [String] {
    let usual = ["number", "code", "name", "status", "description"]
    return usual.filter { name in records.contains { $0[name] != nil } }
  }
}

/// `fettle-device create`.
struct CreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a record",
    discussion: """
      Examples:
        fettle-device create maintenance.machine code=RM-002 name=Roller
        fettle-device create maintenance.entry machine_id=RM-002 priority:=2 \\
          description="Hose leaks"
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Argument(help: "Type, such as maintenance.entry") var type: String
  @OptionGroup var fields: Fields

  func run() async throws {
    let values = try fields.values()
    try await folder.open { client in
      let values = try await RecordName.resolved(values, of: type, client)
      print(Output.text(try await client.create(type, values)))
      Output.tellWaiting()
    }
  }
}

/// `fettle-device patch`.
struct PatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "Change fields of a record",
    discussion: """
      Examples:
        fettle-device patch maintenance.entry WO-1001 description="Hose replaced"
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var record: RecordArgument
  @OptionGroup var fields: Fields

  func run() async throws {
    let values = try fields.values()
    try await folder.open { client in
      let values = try await RecordName.resolved(values, of: record.type, client)
      let change = try await client.patch(record.type, record.find(client), values)
      print("change \(change.number) waits")
    }
  }
}

/// `fettle-device do`.
struct DoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "do",
    abstract: "Apply a transition to a record",
    discussion: """
      Examples:
        fettle-device do maintenance.entry WO-1001 start
        fettle-device do maintenance.entry WO-1001 complete --comment "Replaced"
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var record: RecordArgument
  @Argument(help: "Name of the transition") var transition: String
  @OptionGroup var fields: Fields
  @Option(help: "Comment") var comment: String?

  func run() async throws {
    let values = try fields.values()
    try await folder.open { client in
      let id = try await record.find(client)
      let values = try await RecordName.resolved(values, of: record.type, client)
      let change = try await client.transition(record.type, id, transition, values, comment: comment)
      print("change \(change.number) waits")
    }
  }
}

/// `fettle-device delete`.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a record",
    discussion: """
      Examples:
        fettle-device delete maintenance.entry WO-1001
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var record: RecordArgument
  @Option(help: "Comment") var comment: String?

  func run() async throws {
    try await folder.open { client in
      let change = try await client.delete(record.type, record.find(client), comment: comment)
      print("change \(change.number) waits")
    }
  }
}
