package import Engine
package import Jobs

/// Machines, maintenance work and working hours.
package struct MaintenanceApp: App {
  package let name = "maintenance"

  package var rules: AppRules {
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

  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
    [
      PlanHandler(setup.records), AdvanceHandler(setup.records), RecomputeHandler(setup.records),
      AssignedHandler(),
      OverdueHandler(),
    ]
  }
}
