internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc

extension SolarCommand {
  struct RecordReading: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "record",
      abstract: "Record a reading, or the newest sample",
      scope: .company,
      discussion: """
        Without a value, the newest sample of the site is recorded if it is at most two minutes old. With --push, \
        the recording is sent to the site's utility.

        Examples:
          fettle solar record Roof 3.2 -c acme --as ana
          fettle solar record Roof 18234.5 --unit kWh -c acme --as ana
          fettle solar record Roof --push -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(
      help: "Name or id of the site",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
    ) var site: String
    @Argument(help: "Reading (default: the newest sample)") var value: String?
    @Option(help: "Unit: kW for power, kWh for a meter reading") var unit = "kW"
    @Option(help: ArgumentHelp("Time of the reading (default: now)", valueName: "time")) var at: String?
    @Flag(help: "Push the recording to the utility") var push = false

    func validate() throws {
      if push, value != nil {
        throw ValidationError("--push sends the newest sample and takes no value")
      }
    }

    func run() async throws {
      var fields: JSONObject = [
        "site_id": .string(site), "unit": .string(unit),
        "type": .string(value != nil ? "manual" : push ? "auto_push" : "auto"),
      ]
      if let value { fields["value"] = .string(value) }
      if let at {
        fields["taken_at"] = .string(at)
      } else if value != nil {
        fields["taken_at"] = .string(Instant(seconds: Int64(time(nil))).rfc3339)
      }
      try await RecordActions(options: options, type: "solar.recording")
        .create(change, fields, byClock: at == nil ? ["taken_at"] : [])
    }
  }

  struct RecordingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "recordings",
      abstract: "List recorded readings, newest first",
      scope: .company,
      discussion: "Example: fettle solar recordings --site Roof -c acme"
    )
    @OptionGroup var options: RecordOptions
    @Option(
      help: "Only recordings of this site",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "solar.site", words) }
    ) var site: String?
    @Option(help: "Maximum number of rows") var limit = 50

    func run() async throws {
      var query = RecordQuery()
      query.sort = "-taken_at"
      query.limit = limit
      if let site { query.filters.append(("site_id", site)) }
      try await RecordActions(options: options, type: "solar.recording").list(
        query,
        columns: ["taken_at", "site_name", "type", "value", "unit", "status", "id"]
      )
    }
  }

  struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "push",
      abstract: "Inspect pushes of readings to the utility",
      discussion: "Example: fettle solar push list --status push_failed -c acme",
      subcommands: [List.self, Retry.self],
      defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List recordings for the utility",
        scope: .company,
        discussion: "Example: fettle solar push list --status push_failed -c acme"
      )
      @OptionGroup var options: RecordOptions
      @Option(
        help: "Filter by status: push_queued, pushing, pushed or push_failed",
        completion: .custom { _, _, _ in await LiveCompletion.states(of: "solar.recording") }
      ) var status: String?
      @Option(help: "Maximum number of rows") var limit = 50

      func run() async throws {
        var query = RecordQuery()
        query.sort = "-taken_at"
        query.limit = limit
        query.filters.append(("type", "auto_push"))
        if let status { query.filters.append(("status", status)) }
        try await RecordActions(options: options, type: "solar.recording").list(
          query,
          columns: [
            "taken_at", "site_name", "value", "unit", "status", "push_attempts", "utility_ref", "last_error",
            "id",
          ]
        )
      }
    }

    struct Retry: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Retry a failed push",
        scope: .company,
        discussion: "Example: fettle solar push retry 01a1… -c acme --as eva"
      )
      @OptionGroup var options: RecordOptions
      @OptionGroup var change: ChangeOptions
      @Argument(help: "Id of the recording, or its beginning") var recording: String

      func run() async throws {
        try await RecordActions(options: options, type: "solar.recording")
          .transition(change, recording, TransitionRequest("retry"))
      }
    }
  }
}
