internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Engine
internal import Jobs

/// Solar sites: samples, readings for the utility, and energy reports.
struct SolarApp: App {
  let name = "solar"

  var rules: AppRules {
    AppRules(records: [
      "solar.site": .solarSite,
      "solar.utility_account": .solarUtilityAccount,
      "solar.recording": .solarRecording,
    ])
  }

  var commands: [any ParsableCommand.Type] { [SolarCommand.self] }

  var demo: (any AppDemo)? { SolarDemo() }

  func routes(_ records: Records, _ services: Services) -> [Route] {
    ReadingRoutes(services, records).routes
  }

  func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
    [
      PushHandler(setup.records, client: setup.client, secrets: setup.secrets),
      PollHandler(client: setup.client, secrets: setup.secrets),
    ]
  }
}
