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
    abstract: "Manage webhooks: events sent by signed HTTP POST",
    discussion: """
      Examples:
        fettle webhook add https://hooks.example/fettle \\
          --event maintenance.entry.completed --company acme
        fettle webhook test 01a1… --company acme
        fettle webhook deliveries --failed --company acme
      """,
    subcommands: [
      List.self, Show.self, Add.self, Change.self, Rotate.self, Remove.self, Test.self, Deliveries.self,
      Redeliver.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List webhooks",
      scope: .company,
      discussion: """
        The circuit of a webhook is open while its receiver keeps failing: deliveries
        are held back, and one is attempted at retry_at.

        Example: fettle webhook list --company acme
        """
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let hooks = try await options.company.withActingContext {
        try await WebhookAdministration($0).list($1)
      }
      try options.output.print(
        WebhookTable.table(hooks),
        forPeople: ["id", "url", "events", "active", "circuit", "retry_at", "created_at"]
      )
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a webhook and print its secret, once",
      scope: .company,
      discussion: """
        The header Fettle-Signature is t=<seconds>,v1=<hex>. <seconds> is the time
        since 1970; <hex> is the HMAC-SHA256 of "<seconds>.<body>". The key is the
        secret decoded from hex: 32 bytes for the 64 digits that are printed.

        An address in a private network is refused without --private. Only workers
        started with --allow-private-webhooks deliver to it.

        Example:
          fettle webhook add https://hooks.example/fettle \\
            --event maintenance.entry.completed --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "URL, https or http") var url: String
    @Option(
      help: "Event to deliver, repeatable, such as maintenance.entry.completed",
      completion: .custom { _, _, _ in await LiveCompletion.events() }
    )
    var event: [String]
    @Flag(name: .customLong("private"), help: "Accept a URL in a private network") var isPrivate = false
    @OptionGroup var key: AdministrationOptions

    /// The answer that a repetition gets.
    private struct Added: Codable {
      let id: UUID
      let secret: String
    }

    func run() async throws {
      let note = Webhook.fault(in: url) == nil ? try await Receiver.check(url, isPrivate: isPrivate) : nil
      let added = try await options.company.withActingContext { services, acting in
        try await key.once(services, acting, ["webhook", url] + event) {
          let added = try await WebhookAdministration(services)
            .add(acting, url: url, events: event, fault: Webhook.fault(in:))
          return Added(id: added.id, secret: added.secret)
        }
      }
      if let note { Message.tell("note: \(note)") }
      try options.output.report(
        key.dryRun
          ? "added a webhook for \(url)"
          : "added webhook \(added.id.text); its secret, shown only now: \(added.secret)",
        [(Column("id"), Cell(added.id)), (Column("secret"), key.dryRun ? .null : .string(added.secret))]
      )
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace the secret and print the new one, once",
      scope: .company,
      discussion: """
        For 24 hours, deliveries are signed with both secrets: the header
        Fettle-Signature has a v1 for each. Another rotation ends the use of the first
        secret at once.

        Example: fettle webhook rotate 01a1… --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of the webhook, its beginning, or the URL") var id: String
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let webhooks = WebhookAdministration(services)
        let hook = try await webhooks.id(named: id, acting)
        let rotated = try await webhooks.rotate(acting, id: hook)
        return ChangeReport(
          key.dryRun
            ? "rotated the secret of webhook \(hook.text)"
            : "rotated the secret of webhook \(hook.text); the new one, shown only now: \(rotated.secret)",
          [
            (Column("id"), Cell(hook)), (Column("secret"), key.dryRun ? .null : .string(rotated.secret)),
            (Column("previous_until", kind: .instant), Cell(rotated.previousUntil)),
          ]
        )
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a webhook",
      scope: .company,
      discussion: "Example: fettle webhook remove 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of the webhook, its beginning, or the URL") var id: String
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let webhooks = WebhookAdministration(services)
        let hook = try await webhooks.id(named: id, acting)
        try await webhooks.remove(acting, id: hook)
        return ChangeReport("removed webhook \(hook.text)", [(Column("id"), Cell(hook))])
      }
    }
  }
}
