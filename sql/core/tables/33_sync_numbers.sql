-- A number that a device has described, and not sent, may get another change: from a copy of the device, or when the device
-- numbers its unsent changes anew.
grant update (record_type, record_id, op, owner_id) on core.sync_item to fettle_app, fettle_worker, fettle_admin;
