internal import ArgumentParser
internal import FettleClient
internal import SyncProtocol

/// `fettle-device sync`.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send changes and files, and receive those of others",
    discussion: """
      Everything that still waits afterwards is listed with its reason.

      Examples:
        fettle-device sync
        fettle-device sync --watch
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Flag(help: "Keep synchronising until interrupted") var watch = false

  func run() async throws {
    try await folder.open { client in
      if watch { return try await client.run() }
      let report = try await client.sync()
      print(
        "applied \(report.applied), conflicts \(report.conflicts), failed \(report.failed), files \(report.files), "
          + "received \(report.received), waiting \(report.waiting)"
      )
      for item in try await client.waiting { print("\(item.id) waits: \(Output.reason(of: item))") }
      if report.conflicts > 0 { print("hint: run `fettle-device conflicts`") }
      if report.waiting > 0 { print("hint: run `fettle-device status`") }
    }
  }
}

/// `fettle-device status`.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "List the changes of this device, oldest first",
    discussion: """
      Examples:
        fettle-device status
        fettle-device status --all
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Flag(help: "List changes that are done too") var all = false

  func run() async throws {
    try await folder.open { client in
      let changes = try await client.changes
      print("device: \(Output.text(try await client.device))")
      print("signed in: \(await client.isSignedIn ? "yes" : "no")")
      print("not synchronised: \(try await client.unsynced)")
      let files = try await client.waiting.filter { if case .file = $0.id { true } else { false } }
      for file in files {
        print(
          "\(file.id) of \(file.type) \(Output.text(file.record)) waits: \(Output.reason(of: file))"
        )
      }
      let shown = changes.filter { all || $0.status.isOpen }
      guard !shown.isEmpty else { return }
      Output.table(
        ["NO", "STATUS", "ATTEMPTS", "CHANGE", "TYPE", "RECORD", "CODE", "DETAIL"],
        shown.map { change in
          [
            "\(change.id.number)", change.status.rawValue, "\(change.attempts)",
            change.transition ?? change.operation.rawValue, change.type, Output.text(change.record),
            change.code ?? "-", change.decision.map { "takes \($0.rawValue)" } ?? change.detail ?? "-",
          ]
        }
      )
    }
  }
}

/// `fettle-device conflicts`.
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "Show conflicts: this device's values and the server's",
    discussion: """
      Examples:
        fettle-device conflicts
      """
  )

  @OptionGroup var folder: DeviceFolder

  func run() async throws {
    try await folder.open { client in
      for change in try await client.conflicts {
        print(
          "change \(change.id.number): \(change.operation.rawValue) \(change.type) \(Output.text(change.record))"
        )
        print("reason: \(change.detail ?? change.code ?? "-")")
        let names = Set(change.fields.keys).union(change.conflictingFields).sorted()
        if names.isEmpty { continue }
        Output.table(
          ["FIELD", "MINE", "SERVER", "CONFLICT"],
          names.map { name in
            [
              name, Output.text(change.fields[name]), Output.text(change.server?[name]),
              change.conflictingFields.contains(name) ? "yes" : "no",
            ]
          }
        )
      }
    }
  }
}

/// `fettle-device resolve`.
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Decide about a conflict, or give up a failed change",
    discussion: """
      server gives up the change, mine applies it to the record as it is now, merge applies those of its fields that are
      not in conflict, and discard gives up a failed change. The next `sync` sends the decision.

      Examples:
        fettle-device resolve 14 --take mine
        fettle-device resolve 15 --take discard
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var change: ChangeArgument
  @Option(help: "server, mine, merge or discard", transform: Self.resolution) var take: SyncResolution

  func run() async throws {
    try await folder.open { client in
      try await client.resolve(change.find(client), taking: take)
      print("change \(change.number) takes \(take.rawValue) with the next sync")
    }
  }

  private static func resolution(_ text: String) throws -> SyncResolution {
    guard let resolution = SyncResolution(rawValue: text) else {
      throw ValidationError("\"\(text)\" is not server, mine, merge or discard")
    }
    return resolution
  }
}

/// `fettle-device retry`.
struct RetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Send a refused change again",
    discussion: """
      The change is judged again, such as after the cause of the refusal or conflict was removed.

      Examples:
        fettle-device retry 15
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var change: ChangeArgument

  func run() async throws {
    try await folder.open { client in
      try await client.retry(change.find(client))
      print("change \(change.number) waits")
    }
  }
}
