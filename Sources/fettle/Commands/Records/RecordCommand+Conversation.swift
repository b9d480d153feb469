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
      abstract: "Say something about a record, or change what you said.",
      discussion: """
        @ana mentions a member, who is told; so is everybody who watches the record.

        Examples:
          fettle record comment maintenance.entry WO-1003 "@olle has the part" \\
            -c acme --as ana
          fettle record comment maintenance.entry WO-1003 --withdraw 01a1… \\
            -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @Argument(help: "What is to be said.") var text: String?
    @Option(help: ArgumentHelp("Give a comment of yours this text instead.", valueName: "id")) var edit:
      String?
    @Option(help: ArgumentHelp("Take a comment of yours back.", valueName: "id")) var withdraw: String?
    @Option(help: ArgumentHelp("A key under which a repetition gets the first answer.", valueName: "key"))
    var idempotencyKey: String?

    func validate() throws {
      if withdraw != nil, edit != nil || text != nil { throw ValidationError("--withdraw stands alone") }
      if withdraw == nil, text == nil { throw ValidationError("say something") }
    }

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let conversation = Conversation(services, records)
        let type = subject.type
        let id = try await records.resolve(acting, type: type, subject.record)
        if let withdraw {
          let comment = try await conversation.find(acting, type: type, id: id, withdraw)
          try await conversation.withdraw(acting, type: type, id: id, comment: comment)
          return try options.output.report("taken back", [(Column("id"), Cell(comment))])
        }
        let answer =
          if let edit {
            try await conversation.edit(
              acting,
              type: type,
              id: id,
              comment: try await conversation.find(acting, type: type, id: id, edit),
              text ?? ""
            )
          } else {
            try await conversation.say(acting, type: type, id: id, text ?? "", key: idempotencyKey)
          }
        for handle in answer.unknown { Message.tell("there is no member @\(handle): nobody is told") }
        try options.output.report(
          edit == nil ? "said" : "changed",
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
      abstract: "Show what was said about a record, oldest first.",
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
      abstract: "Be told what happens to a record and what is said about it.",
      discussion: "Example: fettle record watch maintenance.machine RM-001 -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments

    func run() async throws { try await RecordCommand.watch(true, subject, options) }
  }

  struct Unwatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Be told no more, even of a record that you made.",
      discussion: "Example: fettle record unwatch maintenance.entry WO-1003 -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments

    func run() async throws { try await RecordCommand.watch(false, subject, options) }
  }

  private static func watch(_ isWatching: Bool, _ subject: RecordArguments, _ options: RecordOptions)
    async throws
  {
    try await options.company.withActingContext { services, acting in
      let records = try await Records.open(services)
      let conversation = Conversation(services, records)
      let id = try await records.resolve(acting, type: subject.type, subject.record)
      try await conversation.watch(acting, type: subject.type, id: id, isWatching)
      let watchers = try await conversation.watchers(acting, type: subject.type, id: id)
      let names = watchers.isEmpty ? "nobody watches it" : "watched by \(watchers.joined(separator: ", "))"
      try options.output.report(
        "\(subject.record): \(names)",
        [(Column("id"), Cell(id)), (Column("watchers"), .list(watchers.map { .string($0) }))]
      )
    }
  }
}
