internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Engine

/// Meals and their macronutrients, private to each member.
struct MacrosApp: App {
  let name = "macros"

  var rules: AppRules {
    AppRules(records: [
      "macros.carb_cycle": .carbCycle,
      "macros.entry": .macroEntry,
      "macros.goal": .macroGoal,
      "macros.preset": .macroPreset,
      "macros.profile": .macroProfile,
    ])
  }

  var commands: [any ParsableCommand.Type] { [MacrosCommand.self] }

  var demo: (any AppDemo)? { MacrosDemo() }

  func routes(_ records: Records, _ services: Services) -> [Route] { MacroRoutes(services, records).routes }
}
