internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

extension TripCommand {
  struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "chat",
      abstract: "Plan trips in conversations",
      discussion: """
        Messages are answered by the program that the operator registered with \
        `fettle work --handler plan.generate=…`.

        Example:
          fettle trip chat say Winter "Three days in Lofoten" --as ana@acme
        """,
      subcommands: [List.self, Open.self, Say.self, Show.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List your conversations, newest first",
        scope: .company,
        discussion: "Example: fettle trip chat list --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @Option(help: "Maximum number of rows") var limit = 50

      func run() async throws {
        try await options.requireMember()
        var query = RecordQuery()
        query.limit = limit
        try await RecordActions(options: options, type: "trips.conversation")
          .list(query, columns: ["title", "message_count", "last_message_at", "status", "id"])
      }
    }

    struct Open: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Start a conversation",
        scope: .company,
        discussion: "Example: fettle trip chat open Winter --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Title of the conversation") var title: String

      func run() async throws {
        try await options.requireMember()
        try await RecordActions(options: options, type: "trips.conversation")
          .create(change, ["title": .string(title)])
      }
    }

    struct Say: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add a message to a conversation",
        scope: .company,
        discussion: """
          Example:
            fettle trip chat say Winter "Three days in Lofoten" --as ana@acme
          """
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Title or id of the conversation") var conversation: String
      @Argument(help: "Text of the message") var text: String

      func run() async throws {
        try await options.requireMember()
        try await RecordActions(options: options, type: "trips.message").create(
          change,
          ["conversation_id": .string(conversation), "author": "user", "content": .string(text)]
        )
      }
    }

    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Show the messages of a conversation",
        scope: .company,
        discussion: "Example: fettle trip chat show Winter --as ana@acme"
      )
      @OptionGroup var options: RecordOptions
      @Argument(help: "Title or id of the conversation") var conversation: String
      @Option(help: ArgumentHelp("Only messages before this position", valueName: "seq")) var before: Int?
      @Option(help: "Maximum number of messages, counted from the last") var limit = 50

      func run() async throws {
        try await options.requireMember()
        try await options.company.withActingContext { services, acting in
          let records = try await Records.open(services)
          let id = try await records.resolve(acting, type: "trips.conversation", conversation)
          let messages = try await TripReader(services, records)
            .messages(acting, conversation: id, before: before, limit: limit)
          var table = RecordTable(type: try records.catalogue.type("trips.message")).list(messages)
          if options.output.output == .table, options.output.columns == nil {
            table = try table.selecting("seq,author,content,created_at")
          }
          try options.output.print(table)
        }
      }
    }
  }
}
