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
        inbox delivers notices of a kind, mail also mails them at once, off does
        neither. The kind * applies to all kinds without a preference of their own. A
        digest is one mail with the open notices that were not mailed. Notices are
        mailed to verified addresses; `fettle mail list` shows them.

        Examples:
          fettle inbox preferences -c acme --as ana
          fettle inbox preferences comment=off "*=mail" -c acme --as ana
          fettle inbox preferences --digest weekly --language sv -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: ArgumentHelp("Preferences to set", valueName: "kind=inbox|mail|off")) var wishes:
      [String] = []
    @Option(
      help: "Mails with the open notices: off, daily, or weekly on Mondays",
      completion: .list(MailPreferences.Digest.allCases.map(\.rawValue))
    )
    var digest: String?
    @Option(
      help: "Language of mails: en, sv, or company for that of the company",
      completion: .list(Language.allCases.map(\.rawValue) + ["company"])
    )
    var language: String?

    func validate() throws {
      if let digest, MailPreferences.Digest(rawValue: digest) == nil {
        throw ValidationError("--digest is off, daily or weekly")
      }
      if let language, language != "company", Language(rawValue: language) == nil {
        throw ValidationError("--language is en, sv or company")
      }
    }

    func run() async throws {
      let chosen = try FieldArguments.object(wishes).members.map { topic, value in
        guard let delivery = NoticePreferences.Delivery(rawValue: value.string ?? "inbox") else {
          throw DomainError(
            .invalidInput,
            "\(topic): \(Quoted(value.displayText)) is not inbox, mail or off",
            hint: "write \(topic)=inbox, \(topic)=mail or \(topic)=off"
          )
        }
        return (topic: topic, delivery: delivery)
      }
      try await options.company.withActingContext { services, acting in
        let preferences = NoticePreferences(services)
        let templates = try await InstalledApps(services).noticeTemplates().map(\.name)
        if !chosen.isEmpty || digest != nil || language != nil {
          let change = NoticePreferences.Change(
            notices: chosen,
            language: language.map { Language(rawValue: $0) },
            digest: digest.flatMap(MailPreferences.Digest.init(rawValue:))
          )
          try await preferences.change(acting, change, among: templates)
        }
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
