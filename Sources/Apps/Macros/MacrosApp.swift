package import Engine

/// Meals and their macronutrients, private to each member.
package struct MacrosApp: App {
  package let name = "macros"

  package var rules: AppRules {
    AppRules(records: [
      "macros.carb_cycle": .carbCycle,
      "macros.entry": .macroEntry,
      "macros.goal": .macroGoal,
      "macros.preset": .macroPreset,
      "macros.profile": .macroProfile,
    ])
  }
}
