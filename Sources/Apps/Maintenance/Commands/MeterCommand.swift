internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

struct MeterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meter",
    abstract: "Manage meters and their readings",
    discussion: """
      A reading below the last one is refused. If the counter was set back or replaced, --reset records \
      that, and the running total continues. A wrong reading can be corrected or withdrawn; the plans \
      of the meter follow.

      Examples:
        fettle meter add Hours --machine RM-001 --unit h --company acme
        fettle meter read Hours 1204.5 --machine RM-001 --company acme --as ana
        fettle meter correct Hours 1204.5 --machine RM-001 --company acme --as ana
      """,
    subcommands: [List.self, Add.self, Read.self, Correct.self, Withdraw.self, Readings.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List meters with last reading and running total",
      discussion: "Example: fettle meter list --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Maximum number of rows") var limit = 100

    func run() async throws {
      var query = RecordQuery()
      query.sort = "name"
      query.limit = limit
      try await RecordActions(options: options, type: "maintenance.meter").list(
        query,
        columns: ["id", "machine_id", "name", "unit", "last_value", "last_taken_at", "total_units"]
      )
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a meter to a machine",
      discussion: "Example: fettle meter add Hours --machine RM-001 --unit h --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Name of the meter") var name: String
    @Option(
      help: "Code of the machine",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Option(help: "Unit, such as h or km") var unit: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.meter")
        .create(change, ["machine_id": .string(machine), "name": .string(name), "unit": .string(unit)])
    }
  }

  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Record a reading of a meter",
      discussion: """
        Examples:
          fettle meter read Hours 1204.5 --machine RM-001 --company acme
          fettle meter read Hours 3 --machine RM-001 --reset --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Name or id of the meter") var meter: String
    @Argument(help: "The reading") var value: String
    @Option(
      help: "Code of the machine",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Option(help: ArgumentHelp("Time of the reading (default: now)", valueName: "2026-03-28T21:00:00Z"))
    var at: String?
    @Flag(help: "Record that the counter was set back or replaced") var reset = false

    func run() async throws {
      let id = try await MeterName(options: options).id(of: meter, on: machine)
      let taken: String
      if let at {
        taken = at
      } else {
        taken = try await options.company.connection.withServices { services in
          try await services.database.value("select now()", as: Timestamp.self).description
        }
      }
      try await RecordActions(options: options, type: "maintenance.meter_reading").create(
        change,
        [
          "meter_id": .string(id), "value": .string(value), "taken_at": .string(taken),
          "is_reset": .bool(reset),
        ]
      )
    }
  }

  struct Readings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the readings of a meter, newest first",
      discussion: "Example: fettle meter readings Hours --machine RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name or id of the meter") var meter: String
    @Option(
      help: "Code of the machine",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Option(help: "Maximum number of rows") var limit = 50

    func run() async throws {
      var query = RecordQuery()
      query.sort = "-taken_at"
      query.limit = limit
      query.filters = [("meter_id", try await MeterName(options: options).id(of: meter, on: machine))]
      try await RecordActions(options: options, type: "maintenance.meter_reading")
        .list(query, columns: ["taken_at", "value", "is_reset", "id"])
    }
  }
}
