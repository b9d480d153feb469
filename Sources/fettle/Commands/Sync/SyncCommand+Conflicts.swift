internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import SyncProtocol
internal import Terminal

extension SyncCommand {
  struct Conflicts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List changes that wait for a person, oldest first",
      scope: .company,
      discussion: """
        Changes of private records are shown to their owner alone.

        Examples:
          fettle sync conflicts --company acme
          fettle sync conflicts --failed --company acme --output json
        """
    )
    @Flag(help: "Only failed changes, not conflicts") var failed = false
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let review = SyncReview(services, try await .open(services))
        let status = try await review.status(acting, all: acting.user == nil)
        let devices = Dictionary(status.devices.map { ($0.id, $0) }) { first, _ in first }
        let items = status.items.filter { !failed || $0.status == "failed" }
        try output.print(
          Table(
            columns: [
              Column("change"), Column("device_id"), Column("no"), Column("member"), Column("status"),
              Column("type"), Column("record_id"), Column("op"), Column("code"), Column("fields"),
              Column("retry_wanted"), Column("updated_at", title: "since", kind: .instant),
            ],
            rows: try items.map { item in
              let answer = try item.answer?.value().object ?? [:]
              return [
                .string(item.name), .string(item.device.text), .number(String(item.no)),
                devices[item.device].map { .string($0.userName) } ?? .null, .string(item.status),
                .string(item.recordType), .string(item.recordID.text), .string(item.operation),
                item.code.map { .string($0) } ?? .null,
                .list((answer["fields"]?.array ?? []).compactMap(\.string).map { .string($0) }),
                .bool(item.isRetryWanted), Cell(item.updatedAt),
              ]
            }
          ),
          forPeople: ["change", "member", "status", "type", "op", "code", "fields", "updated_at"]
        )
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a change beside the server's record",
      scope: .company,
      discussion: "Example: fettle sync show 7c9e/14 --company acme"
    )
    @Argument(help: "Change: device, slash, number, as `fettle sync conflicts` prints it") var change: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let status = try await SyncReview(services, records).status(acting, all: acting.user == nil)
        let (device, no) = try ChangeName(change).find(in: status.devices)
        guard let item = status.items.first(where: { $0.device == device.id && $0.no == no }) else {
          throw DomainError(.notFound, "no such change waits", hint: "list them with `fettle sync conflicts`")
        }
        let mine = try item.mutation?.value().object?["fields"]?.object ?? [:]
        let answer = try item.answer?.value().object ?? [:]
        // A record that is deleted, or that the member may not read, has no fields to show.
        let server = (try? await records.show(acting, type: item.recordType, id: item.recordID)) ?? [:]
        let conflicting = answer["fields"]?.array?.compactMap(\.string) ?? []
        try output.print(
          Table(
            columns: [Column("field"), Column("device"), Column("server"), Column("conflict")],
            rows: mine.members.map { name, value in
              [
                .string(name), Cell(value), server[name].map { Cell($0) } ?? .null,
                .bool(conflicting.contains(name)),
              ]
            }
          )
        )
      }
    }
  }

  struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Decide about a conflict, or give up a failed change",
      scope: .company,
      discussion: """
        server gives up the change. mine applies it to the record as it is now. merge
        applies only those fields that are not in conflict. discard gives up the
        change.

        Example: fettle sync resolve 7c9e/14 --take mine --company acme
        """
    )
    @Argument(help: "Change: device, slash, number, as `fettle sync conflicts` prints it") var change: String
    @Option(help: "server, mine, merge or discard") var take: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      guard let decision = SyncReview.Decision(rawValue: take) else {
        throw DomainError(
          .invalidInput,
          "--take \(Quoted(take))",
          hint: "take server, mine, merge or discard"
        )
      }
      try await key.change(company, output) { services, acting in
        let review = SyncReview(services, try await .open(services))
        let status = try await review.status(acting, all: acting.user == nil)
        let (device, no) = try ChangeName(change).find(in: status.devices)
        let version = try await review.resolve(acting, device: device.id, no: no, decision)
        return ChangeReport(
          "resolved \(change): \(take)" + (version.map { ", version \($0)" } ?? ""),
          [
            (Column("device_id"), .string(device.id.text)), (Column("no"), .number(String(no))),
            (Column("take"), .string(take)),
            (Column("version"), version.map { .number(String($0)) } ?? .null),
          ]
        )
      }
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask a device to send failed changes again",
      scope: .company,
      discussion: """
        The device learns of it with the next answer that it gets.

        Examples:
          fettle sync retry 7c9e/14 --company acme
          fettle sync retry 7c9e --company acme
        """
    )
    @Argument(help: "Change, as `fettle sync conflicts` prints it, or a device for all of its failed changes")
    var change: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(company, output) { services, acting in
        let review = SyncReview(services, try await .open(services))
        let devices = try await review.status(acting, all: acting.user == nil).devices
        let isChange = change.contains("/")
        let (device, no) =
          isChange ? try ChangeName(change).find(in: devices) : (try DeviceName(change).find(in: devices), 0)
        try await review.retry(acting, device: device.id, no: isChange ? no : nil)
        return ChangeReport(
          "\(device.name) of \(device.userName) learns of it with the next answer that it gets",
          [(Column("device_id"), .string(device.id.text)), (Column("change"), .string(change))]
        )
      }
    }
  }
}

/// A change as people name it: the device, a slash, and the number.
private struct ChangeName {
  private let text: String

  init(_ text: String) { self.text = text }

  func find(in devices: [DeviceRow]) throws(DomainError) -> (device: DeviceRow, no: Int64) {
    let halves = text.split(separator: "/", maxSplits: 1).map(String.init)
    guard halves.count == 2, let no = Int64(halves[1]), no > 0 else {
      throw DomainError(.invalidInput, "\(Quoted(text)) is not a change", hint: "write it like 7c9e/14")
    }
    return (try DeviceName(halves[0]).find(in: devices), no)
  }
}

extension SyncItemRow {
  /// The change as people name it.
  fileprivate var name: String { "\(device.text.prefix(8))/\(no)" }
}
