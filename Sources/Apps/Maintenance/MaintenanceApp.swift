internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Engine
internal import Jobs

/// Machines, maintenance work and working hours.
struct MaintenanceApp: App {
  let name = "maintenance"

  var rules: AppRules {
    AppRules(
      records: [
        "maintenance.entry": .maintenanceEntry,
        "maintenance.meter_reading": .meterReading,
        "maintenance.pm_plan": .maintenancePlan,
        "maintenance.time_entry": .timeEntry,
      ],
      startingRecords: [
        AppRules.StartingRecords(type: "maintenance.category") { services, records, acting in
          try await BaseCategories(services, records).copy(to: acting)
        }
      ],
      settings: [OverlappingHours.setting]
    )
  }

  var verbs: [String: [any ParsableCommand.Type]] {
    [
      "machine": [MachineAdd.self, MachineRename.self],
      "category": [CategoryRename.self],
      "entry": [EntrySplitCommand.self, EntryImport.self],
      "time": [TimeList.self, TimeAdd.self, TimeUpdate.self],
      "plan": [PlanList.self, PlanAdd.self],
      "meter": [MeterRead.self, MeterCorrect.self, MeterWithdraw.self, MeterReadings.self],
    ]
  }

  var demo: (any AppDemo)? { MaintenanceDemo() }

  func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
    [
      PlanHandler(setup.records), AdvanceHandler(setup.records), RecomputeHandler(setup.records),
      AssignedHandler(),
      OverdueHandler(),
    ]
  }
}
