internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal
internal import Webhooks

struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Manage webhooks: signed HTTP POSTs of events",
    discussion: """
      Example:
        fettle webhook add https://hooks.example/fettle \\
          --event maintenance.entry.completed --company acme
      """,
    subcommands: [List.self, Add.self, Remove.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List webhooks",
      discussion: "Example: fettle webhook list --company acme"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let hooks = try await options.company.withActingContext { try await WebhookAdministration($0).list($1) }
      try options.output.print(
        Table(
          columns: [
            Column("id"), Column("url"), Column("events"), Column("active"),
            Column("created_at", kind: .instant),
          ],
          rows: hooks.map {
            [
              Cell($0.id), .string($0.url), .list($0.events.map { .string($0) }), .bool($0.isActive),
              Cell($0.createdAt),
            ]
          }
        )
      )
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a webhook and print its signing secret once",
      discussion: """
        The header Fettle-Signature holds t=<seconds>,v1=<hex>: the HMAC-SHA256 of "t.body" under the secret.

        Example:
          fettle webhook add https://hooks.example/fettle \\
            --event maintenance.entry.completed --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "An https or http address") var url: String
    @Option(
      help: "An event, such as maintenance.entry.completed; repeatable",
      completion: .custom { _, _, _ in await LiveCompletion.events() }
    )
    var event: [String]

    func run() async throws {
      let added = try await options.company.withActingContext {
        try await WebhookAdministration($0).add($1, url: url, events: event, fault: Webhook.fault(in:))
      }
      try options.output.report(
        "added webhook \(added.id.text); its secret, shown only now: \(added.secret)",
        [(Column("id"), Cell(added.id)), (Column("secret"), .string(added.secret))]
      )
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a webhook",
      discussion: "Example: fettle webhook remove 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Its id") var id: String

    func run() async throws {
      guard let hook = UUID(uuidString: id) else {
        throw DomainError(.invalidID, "\(Quoted(id)) is not an id")
      }
      try await options.company.withActingContext { try await WebhookAdministration($0).remove($1, id: hook) }
      try options.output.report("removed webhook \(id)", [(Column("id"), Cell(hook))])
    }
  }
}
