package import Engine
package import Jobs

/// Solar sites: samples, readings for the utility, and energy reports.
package struct SolarApp: App {
  package let name = "solar"

  package var rules: AppRules {
    AppRules(records: [
      "solar.site": .solarSite,
      "solar.utility_account": .solarUtilityAccount,
      "solar.recording": .solarRecording,
    ])
  }

  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
    [
      PushHandler(setup.records, client: setup.client, secrets: setup.secrets),
      PollHandler(client: setup.client, secrets: setup.secrets),
    ]
  }
}
