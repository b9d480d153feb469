internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal
internal import Webhooks

extension WebhookCommand {
  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the URL or events, or switch a webhook off or on",
      scope: .company,
      discussion: """
        A receiver that answers 410 switches its webhook off. --active switches it on
        again; `fettle webhook redeliver --failed` then delivers what was missed.

        Examples:
          fettle webhook change 01a1… --active --company acme
          fettle webhook change 01a1… --url https://hooks.example/new --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of the webhook, its beginning, or the URL") var id: String
    @Option(help: "New URL, https or http; the secret stays the same") var url: String?
    @Option(
      help: "Event to deliver, repeatable; replaces the former ones",
      completion: .custom { _, _, _ in await LiveCompletion.events() }
    )
    var event: [String] = []
    @Flag(inversion: .prefixedNo, help: "Deliver events, or keep the webhook and send nothing") var active:
      Bool?
    @Flag(name: .customLong("private"), help: "Accept a URL in a private network") var isPrivate = false
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      var note: String?
      if let url, Webhook.fault(in: url) == nil { note = try await Receiver.check(url, isPrivate: isPrivate) }
      try await key.change(options.company, options.output) { services, acting in
        let webhooks = WebhookAdministration(services)
        let hook = try await webhooks.id(named: id, acting)
        try await webhooks.change(
          acting,
          id: hook,
          url: url,
          events: event.isEmpty ? nil : event,
          isActive: active,
          fault: Webhook.fault(in:)
        )
        return ChangeReport("changed webhook \(hook.text)", [(Column("id"), Cell(hook))])
      }
      if let note { Message.tell("note: \(note)") }
    }
  }

  /// Checks addresses of receivers before they are stored.
  enum Receiver {
    /// Refuses a URL to which no worker may deliver, before it is stored.
    ///
    /// - Returns: a note to print after the webhook was stored; nil if all addresses of the host are public.
    /// - Throws: `invalid_input` for a blocked address, and for a private one without `--private`.
    static func check(_ url: String, isPrivate: Bool) async throws -> String? {
      switch try await Destination.resolve(url) {
      case .open: return nil
      case .unresolved(let host):
        return "\(host) does not resolve at present; deliveries are retried"
      case .isPrivate(let address):
        guard isPrivate else {
          throw DomainError(
            .invalidInput,
            "the address cannot be used: it resolves to \(address), which is private",
            hint: "add --private, and start workers with --allow-private-webhooks"
          )
        }
        return "\(address) is private; only workers with --allow-private-webhooks deliver to it"
      case .closed(let address):
        throw DomainError(
          .invalidInput,
          "the address cannot be used: it resolves to \(address), which no webhook may reach",
          hint: "use an address that is public or of a private network"
        )
      }
    }
  }
}
