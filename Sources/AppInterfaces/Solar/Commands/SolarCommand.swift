internal import Apps
internal import ArgumentParser
internal import CoreCommands

struct SolarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "solar",
    abstract: "Manage solar sites and their readings",
    discussion: """
      Examples:
        fettle solar current Roof -c acme
        fettle solar daily Roof --from 2026-03-01 -c acme
        fettle solar record Roof 3.2 -c acme --as ana
      """,
    subcommands: [
      SiteCommand.self, CurrentCommand.self, DailyCommand.self, RecordReading.self, RecordingsCommand.self,
      SampleCommand.self, PushCommand.self, UtilityCommand.self,
    ],
    defaultSubcommand: CurrentCommand.self
  )
}
