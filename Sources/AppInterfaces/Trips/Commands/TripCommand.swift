internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

struct TripCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trip",
    abstract: "Manage photo trips",
    discussion: """
      Trips are private: name their owner with --as. Without --company, `--as ana@acme` names both.

      Examples:
        fettle trip list --as ana@acme
        fettle trip add Lofoten --from 2026-02-10 --to 2026-02-12 --as ana@acme
        fettle trip export Lofoten --format ics --as ana@acme > lofoten.ics
      """,
    subcommands: [
      List.self, Show.self, Add.self, Update.self, Do.self, Copy.self, StopCommand.self, ChatCommand.self,
      ShareCommand.self, Export.self, History.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List your trips, latest first day first",
      scope: .company,
      discussion: "Example: fettle trip list --status active --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @Option(
      help: "Only trips in this status",
      completion: .custom { _, _, _ in await LiveCompletion.states(of: "trips.plan") }
    ) var status: String?
    @Option(help: "Only trips that contain this text") var search: String?
    @Option(help: "Maximum number of rows") var limit = 50

    func run() async throws {
      try await options.requireMember()
      var query = RecordQuery()
      query.search = search
      query.sort = "-starts_on"
      query.limit = limit
      if let status { query.filters.append(("status", status)) }
      try await RecordActions(options: options, type: "trips.plan").list(
        query,
        columns: ["title", "destination", "starts_on", "ends_on", "days", "stop_count", "status", "id"]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a trip and its allowed actions",
      scope: .company,
      discussion: "Example: fettle trip show Lofoten --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Title or id of the trip, or the beginning of the id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "trips.plan", words) }
    ) var trip: String

    func run() async throws {
      try await options.requireMember()
      try await RecordActions(options: options, type: "trips.plan").show(trip)
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Plan a trip",
      scope: .company,
      discussion: """
        Example:
          fettle trip add Lofoten --to 2026-02-12 --from 2026-02-10 --as ana@acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Title of the trip") var title: String
    @Option(help: ArgumentHelp("First day", valueName: "yyyy-mm-dd")) var from: String?
    @Option(help: ArgumentHelp("Last day", valueName: "yyyy-mm-dd")) var to: String?
    @Option(help: "Name of the destination") var destination: String?
    @OptionGroup var fields: FieldPairs

    func run() async throws {
      try await options.requireMember()
      var object: JSONObject = ["title": .string(title)]
      if let from { object["starts_on"] = .string(from) }
      if let to { object["ends_on"] = .string(to) }
      if let destination { object["destination"] = .string(destination) }
      try await RecordActions(options: options, type: "trips.plan").create(
        change,
        try fields.object(with: object)
      )
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of a trip",
      scope: .company,
      discussion: "Example: fettle trip update Lofoten --set ends_on=2026-02-13 --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(
      help: "Title or id of the trip",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "trips.plan", words) }
    ) var trip: String
    @OptionGroup var changes: FieldChanges

    func run() async throws {
      try await options.requireMember()
      try await RecordActions(options: options, type: "trips.plan")
        .update(change, trip, try changes.object(), version: changes.ifVersion)
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Perform a transition on a trip",
      scope: .company,
      discussion: "Example: fettle trip do activate Lofoten --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Transition: activate, archive or restore") var transition: String
    @Argument(
      help: "Title or id of the trip",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "trips.plan", words) }
    ) var trip: String
    @OptionGroup var request: TransitionOptions

    func run() async throws {
      try await options.requireMember()
      try await RecordActions(options: options, type: "trips.plan")
        .transition(change, trip, try request.request(transition))
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the history of a trip",
      scope: .company,
      discussion: "Example: fettle trip history Lofoten --as ana@acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Title or id of the trip",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "trips.plan", words) }
    ) var trip: String

    func run() async throws {
      try await options.requireMember()
      try await RecordActions(options: options, type: "trips.plan").history(trip)
    }
  }
}

extension RecordOptions {
  /// Requires a member to act as. An operator without a member would get an empty list, since trips belong to
  /// members.
  ///
  /// - Throws: `unauthenticated` without a member.
  func requireMember() async throws { try await company.requireMember() }
}

extension CompanyOptions {
  /// Requires a member to act as.
  ///
  /// - Throws: `unauthenticated` without a member.
  func requireMember() async throws {
    try await withActingContext { _, acting in
      guard acting.user == nil else { return }
      throw DomainError(
        .unauthenticated,
        "trips are private to their owner",
        hint: "add --as MEMBER"
      )
    }
  }
}
