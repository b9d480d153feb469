print("fettle-device")
