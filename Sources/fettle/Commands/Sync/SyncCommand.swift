internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Watch devices, and decide about conflicts",
    discussion: """
      Devices change records offline and send the changes later. A change that the
      server cannot apply waits for a person: a conflict with what somebody else
      wrote, or a failed change.

      Examples:
        fettle sync status --company acme
        fettle sync conflicts --company acme
        fettle sync resolve 7c9e/14 --take mine --company acme
      """,
    subcommands: [
      Status.self, Devices.self, Revoke.self, Conflicts.self, Show.self, Resolve.self, Retry.self, Epoch.self,
    ],
    defaultSubcommand: Status.self
  )

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show devices, waiting changes and conflicts",
      scope: .company,
      discussion: """
        The numbers of pending changes, and of those that failed on the device, are
        what the device reported last. Changes of private records are counted, but only
        their owner sees them.

        Example: fettle sync status --company acme
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let review = SyncReview(services, try await .open(services))
        let status = try await review.status(acting, all: acting.user == nil)
        try output.print(
          Table(
            columns: [
              Column("device"), Column("member"), Column("name"), Column("pending"), Column("conflicts"),
              Column("failed"), Column("oldest", kind: .instant),
              Column("last_push_at", title: "last push", kind: .instant),
              Column("last_pull_at", title: "last pull", kind: .instant),
              Column("revoked_at", kind: .instant),
            ],
            rows: status.devices.map { device in
              let waiting = status.waiting[device.id]
              return [
                .string(device.id.text), .string(device.userName), .string(device.name),
                .integer(device.queue.pending), .integer(waiting?.conflicts ?? 0),
                .integer((waiting?.failed ?? 0) + device.queue.failed),
                Cell(device.queue.oldest),
                Cell(device.lastPushAt), Cell(device.lastPullAt), Cell(device.revokedAt),
              ]
            }
          ),
          forPeople: [
            "member", "name", "pending", "conflicts", "failed", "oldest", "last_push_at", "last_pull_at",
          ]
        )
      }
    }
  }

  struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List devices",
      scope: .company,
      discussion: "Example: fettle sync devices --company acme"
    )
    @Flag(help: "Include revoked devices") var all = false
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let rows = try await Engine.Devices(services, try await .open(services))
          .list(acting, all: acting.user == nil).filter { all || $0.revokedAt == nil }
        try output.print(
          Table(
            columns: [
              Column("id"), Column("member"), Column("name"), Column("app"), Column("platform"),
              Column("app_version", title: "client"), Column("schema_version", title: "schema"),
              Column("max_no"),
              Column("confirmed_no"), Column("created_at", title: "since", kind: .instant),
              Column("revoked_at", title: "revoked", kind: .instant),
            ],
            rows: rows.map { device in
              [
                .string(device.id.text), .string(device.userName), .string(device.name),
                device.app.map { .string($0) } ?? .null, .string(device.platform), .string(device.appVersion),
                .integer(device.schemaVersion), .number(String(device.maxNo)),
                .number(String(device.confirmedNo)),
                Cell(device.createdAt), Cell(device.revokedAt),
              ]
            }
          ),
          forPeople: ["id", "member", "name", "app", "platform", "app_version", "created_at"]
            + (all ? ["revoked_at"] : [])
        )
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a device, which is refused from then on",
      scope: .company,
      discussion: """
        Changes that wait on the device stay there. The session on the device does not
        end: its member ends it over the API, with DELETE /v1/me/sessions/SESSION.

        Example: fettle sync revoke 7c9e --company acme
        """
    )
    @Argument(help: "Id of the device, or the beginning of it") var device: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOption

    func run() async throws {
      try await key.change(company, output) { services, acting in
        let devices = Engine.Devices(services, try await .open(services))
        let found = try DeviceName(device).find(in: try await devices.list(acting, all: acting.user == nil))
        try await devices.revoke(acting, found.id)
        return ChangeReport(
          "revoked \(found.name) of \(found.userName)",
          [(Column("id"), .string(found.id.text)), (Column("member"), .string(found.userName))]
        )
      }
    }
  }
}

/// A device as people name it: its id, or the beginning of it.
struct DeviceName {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Returns the device.
  ///
  /// - Throws: `not_found`, `invalid_input` if several devices match.
  func find(in devices: [DeviceRow]) throws(DomainError) -> DeviceRow {
    let found = devices.filter { $0.id.text.hasPrefix(text.lowercased()) }
    guard found.count <= 1 else {
      throw DomainError(
        .invalidInput,
        "\(found.count) devices begin with \(Quoted(text))",
        hint: "write more of the id"
      )
    }
    guard let device = found.first, !text.isEmpty else {
      throw DomainError(
        .notFound,
        "there is no device \(Quoted(text))",
        hint: "list devices with `fettle sync devices`"
      )
    }
    return device
  }
}
