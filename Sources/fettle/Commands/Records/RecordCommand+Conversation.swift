internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

extension RecordCommand {
  struct Comment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add, edit or withdraw a comment",
      scope: .company,
      discussion: """
        @ana mentions a member. Mentioned members and watchers of the record get a
        notice.

        Examples:
          fettle record comment maintenance.entry WO-1003 "@olle has the part" \\
            -c acme --as ana
          fettle record comment maintenance.entry WO-1003 --withdraw 01a1… \\
            -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @Argument(help: "Text of the comment") var text: String?
    @Option(help: ArgumentHelp("Id of one of your comments, to replace its text", valueName: "id"))
    var edit: String?
    @Option(help: ArgumentHelp("Id of one of your comments, to withdraw it", valueName: "id"))
    var withdraw: String?
    @Option(help: ArgumentHelp("Idempotency key: a repetition returns the first result", valueName: "key"))
    var idempotencyKey: String?

    func validate() throws {
      if withdraw != nil, edit != nil || text != nil {
        throw ValidationError("--withdraw cannot be combined with a text or --edit")
      }
      if withdraw == nil, text == nil { throw ValidationError("add the text of the comment") }
    }

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let conversation = Conversation(services, records)
        let type = subject.type
        func record() async throws -> UUID { try await records.resolve(acting, type: type, subject.record) }
        if let withdraw {
          let id = try await record()
          let comment = try await conversation.find(acting, type: type, id: id, withdraw)
          try await conversation.withdraw(acting, type: type, id: id, comment: comment)
          return try options.output.report("withdrew the comment", [(Column("id"), Cell(comment))])
        }
        let written = WrittenRequest(key: idempotencyKey, ["comment", type, subject.record, text])
        let answer =
          if let edit {
            try await conversation.edit(
              acting,
              type: type,
              id: try await record(),
              comment: try await conversation.find(acting, type: type, id: try await record(), edit),
              text ?? ""
            )
          } else {
            try await records.once(acting, written) {
              try await conversation.say(
                acting,
                type: type,
                id: try await record(),
                text ?? "",
                key: idempotencyKey
              )
            }
          }
        for handle in answer.unknown { Message.tell("there is no member @\(handle) to notify") }
        try options.output.report(
          edit == nil ? "added the comment" : "changed the comment",
          [
            (Column("id"), Cell(answer.id)),
            (Column("mentioned"), .list(answer.mentioned.map { .string($0) })),
          ]
        )
      }
    }
  }

  struct Comments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the comments on a record, oldest first",
      scope: .company,
      discussion: "Example: fettle record comments maintenance.entry WO-1003 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let id = try await records.resolve(acting, type: subject.type, subject.record)
        let comments = try await Conversation(services, records).comments(acting, type: subject.type, id: id)
        try options.output.print(
          Table(
            columns: [
              Column("at", kind: .instant), Column("who"), Column("text"), Column("edited", kind: .instant),
              Column("id"),
            ],
            rows: comments.map { comment in
              [
                Cell(comment.createdAt), .string(comment.author), .string(comment.body),
                Cell(comment.editedAt),
                Cell(comment.id),
              ]
            }
          )
        )
      }
    }
  }

  struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Watch a record: get notices of changes and comments",
      scope: .company,
      discussion: "Example: fettle record watch maintenance.machine RM-001 -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @OptionGroup var key: AdministrationOptions

    func run() async throws { try await RecordCommand.watch(true, subject, options, key) }
  }

  struct Unwatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop watching a record",
      scope: .company,
      discussion: "Example: fettle record unwatch maintenance.entry WO-1003 -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @OptionGroup var key: AdministrationOptions

    func run() async throws { try await RecordCommand.watch(false, subject, options, key) }
  }

  private static func watch(
    _ isWatching: Bool,
    _ subject: RecordArguments,
    _ options: RecordOptions,
    _ key: AdministrationOptions
  ) async throws {
    try await key.change(options.company, options.output) { services, acting in
      let records = try await Records.open(services)
      let conversation = Conversation(services, records)
      let id = try await records.resolve(acting, type: subject.type, subject.record)
      try await conversation.watch(acting, type: subject.type, id: id, isWatching)
      let watchers = try await conversation.watchers(acting, type: subject.type, id: id)
      let names = watchers.isEmpty ? "nobody watches it" : "watched by \(watchers.joined(separator: ", "))"
      return ChangeReport(
        "\(subject.record): \(names)",
        [(Column("id"), Cell(id)), (Column("watchers"), .list(watchers.map { .string($0) }))]
      )
    }
  }
}
