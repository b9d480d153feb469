internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal

extension WebhookCommand {
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a webhook and whether its receiver fails",
      scope: .company,
      discussion: """
        After five failures in a row the circuit opens: deliveries are held back, and
        one is attempted at retry_at. It closes when the receiver takes one, also that
        of `fettle webhook test`.

        Example: fettle webhook show 01a1… --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of the webhook, its beginning, or the URL") var id: String

    func run() async throws {
      let found = try await options.company.withActingContext { services, acting in
        let webhooks = WebhookAdministration(services)
        let hook = try await webhooks.id(named: id, acting)
        return try await webhooks.list(acting).first { $0.id == hook }
      }
      guard let found else { throw DomainError(.notFound, "there is no such webhook") }
      try options.output.printRecord(WebhookTable.fields(found))
    }
  }
}

/// Formats webhooks as a table.
enum WebhookTable {
  static func table(_ hooks: [WebhookRow]) -> Table {
    Table(columns: columns.map(\.0), rows: hooks.map { hook in columns.map { $0.1(hook) } })
  }

  static func fields(_ hook: WebhookRow) -> [(Column, Cell)] { columns.map { ($0.0, $0.1(hook)) } }

  private static var columns: [(Column, (WebhookRow) -> Cell)] {
    [
      (Column("id"), { Cell($0.id) }),
      (Column("url"), { .string($0.url) }),
      (Column("events"), { .list($0.events.map { .string($0) }) }),
      (Column("active"), { .bool($0.isActive) }),
      (
        Column("circuit", kind: .status(["closed": .green, "open": .red])),
        { .string($0.openSince == nil ? "closed" : "open") }
      ),
      (Column("failures", kind: .number), { .integer($0.failures) }),
      (Column("reason"), { .optional($0.reason) }),
      (Column("open_since", kind: .instant), { Cell($0.openSince) }),
      (Column("retry_at", kind: .instant), { Cell($0.retryAt) }),
      (Column("created_at", kind: .instant), { Cell($0.createdAt) }),
    ]
  }
}
