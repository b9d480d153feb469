internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct InboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "Read the notices of members",
    discussion: "Example: fettle inbox list --company acme --as eva",
    subcommands: [List.self, Read.self, Preferences.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List notices, newest first",
      scope: .company,
      discussion: """
        An operator without --as sees the notices of all members.

        Example: fettle inbox list --company acme --as eva
        """
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Maximum number of rows") var limit = 50

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let notices = try await Inbox(services).list(acting, limit: limit)
        let templates = try await InstalledApps(services).noticeTemplates()
        try options.output.print(
          Table(
            columns: [
              Column("at", kind: .instant), Column("to"), Column("title", kind: .advice), Column("body"),
              Column("state"),
              Column("template"), Column("record_type"), Column("record_id"),
            ],
            rows: try notices.map { notice in
              let data = try notice.data.value().object ?? [:]
              let template = templates.first { $0.name == notice.template }
              return [
                Cell(notice.createdAt), .string(notice.to),
                .string(template.map { NoticeTemplate.fill($0.title, with: data) } ?? notice.template),
                .optional(template.map { NoticeTemplate.fill($0.body, with: data) }), .string(notice.state),
                .string(notice.template),
                .optional(notice.recordType), notice.recordID.map { Cell($0) } ?? .null,
              ]
            }
          ),
          forPeople: ["at", "to", "title", "body", "state"]
        )
      }
    }
  }

  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mark a member's notices as read",
      scope: .company,
      discussion: "Example: fettle inbox read --company acme --as eva"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        let count = try await Inbox(services).markRead(acting)
        return ChangeReport("\(count) marked as read", [(Column("marked"), .integer(count))])
      }
    }
  }
}
