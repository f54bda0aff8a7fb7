function event()
   return return
end
