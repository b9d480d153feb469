internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension InboxCommand {
  struct Preferences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or set a member's notice preferences",
      scope: .company,
      discussion: """
        inbox delivers notices of a kind, off does not. The kind * applies to all kinds
        without a preference of their own.

        Examples:
          fettle inbox preferences -c acme --as ana
          fettle inbox preferences comment=off "*=inbox" -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: ArgumentHelp("Preferences to set", valueName: "kind=inbox|off")) var wishes: [String] = []

    func run() async throws {
      let chosen = try FieldArguments.object(wishes).members.map { topic, value in
        guard let delivery = NoticePreferences.Delivery(rawValue: value.string ?? "inbox") else {
          throw DomainError(
            .invalidInput,
            "\(topic): \(Quoted(value.displayText)) is neither inbox nor off",
            hint: "write \(topic)=inbox or \(topic)=off"
          )
        }
        return (topic: topic, delivery: delivery)
      }
      try await options.company.withActingContext { services, acting in
        let preferences = NoticePreferences(services)
        let templates = try await InstalledApps(services).noticeTemplates().map(\.name)
        if !chosen.isEmpty { try await preferences.set(acting, chosen, among: templates) }
        let said = try await preferences.list(acting)
        let usual = said["*"] ?? .inbox
        try options.output.print(
          Table(
            columns: [Column("kind"), Column("delivery"), Column("chosen")],
            rows: (["*"] + templates).map { topic in
              [.string(topic), .string((said[topic] ?? usual).rawValue), .bool(said[topic] != nil)]
            }
          )
        )
      }
    }
  }
}
